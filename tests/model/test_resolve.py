"""Single facts of a session: lines from two sources, and whether someone has looked."""

import pytest

from atm_tui.model.activity import ActivityKind
from atm_tui.model.facts import HookActivity, HookState, Sample
from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.status import AHEAD
from atm_tui.model.transcript import CostState, TranscriptFacts

NOW = 1_000_000.0


@pytest.mark.parametrize(("sampled", "saved", "shown"), [(5, 7, 7), (7, 5, 7), (0, None, 0), (None, 3, 3)])
def test_lines_are_the_larger_of_the_sample_and_the_saved_totals(
    sampled: int | None, saved: int | None, shown: int
) -> None:
    facts = Facts(
        session_id="s",
        hooks=HookState(schema=1, session_id="s", metrics=Sample(lines_added=sampled, lines_removed=sampled)),
        transcript=TranscriptFacts(
            path="s.jsonl", cost_state=CostState(usd=1.0, lines_added=saved, lines_removed=saved)
        ),
    )
    session = resolve(facts, NOW).session
    assert (session.lines_added, session.lines_removed) == (shown, shown)


@pytest.mark.parametrize(
    ("seen_at", "unseen"),
    [(NOW - 20, True), (NOW - 5, False), (NOW + 2 * AHEAD, True)],
    ids=["before", "after", "before the clock was set back"],
)
def test_a_finished_session_is_unseen_until_someone_looks(seen_at: float, unseen: bool) -> None:
    activity = HookActivity(kind=ActivityKind.FINISHED, since=NOW - 10)
    hooks = HookState(schema=1, session_id="s", last_event="Stop", activity=activity)
    assert resolve(Facts(session_id="s", hooks=hooks, seen_at=seen_at), NOW).session.unseen is unseen
