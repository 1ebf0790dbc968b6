"""A prompt that is typed while a turn runs: the tool continues, the next turn is known at once, and Esc is still recognized."""

from typing import Any

import pytest

from atm_tui.model.activity import ActivityKind
from atm_tui.model.facts import HookActivity, HookStart, HookState, ProcessFact, RegistryEntry, ToolBeforePrompt
from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.status import decide_status
from atm_tui.model.transcript import Interruption, TranscriptFacts
from tests.support.status_facts import describe_status

NOW = 1_000_000.0
BEFORE = ToolBeforePrompt(tool="Bash", summary="make", tool_use_id="t1", since=NOW - 60, prompted=NOW - 5)


def make_hooks(kind: str, since: float, **given: Any) -> HookState:
    began = since if kind == "thinking" else 0.0
    activity = HookActivity(kind=ActivityKind(kind), since=since, began=began)
    return HookState(schema=1, session_id="s", activity=activity, last_event="some", updated_at=since, **given)


def make_transcript(**given: Any) -> TranscriptFacts:
    cut = given.pop("cut", None)
    return TranscriptFacts(path="", interruption=Interruption(at=cut) if cut else None, **given)


def make_entry(status: str, at: float, started: float = NOW - 900) -> RegistryEntry:
    return RegistryEntry(pid=7, session_id="s", status=status, status_at=at, started_at=started)


def test_a_queued_prompt_keeps_the_tool_that_runs() -> None:
    state = make_hooks("thinking", NOW - 5, tool_before_prompt=BEFORE)
    found = decide_status(state, (), make_transcript(queued_at=NOW - 4.9), NOW)
    assert describe_status(found) == ("working", "Bash make", "transcript")
    assert found.evidence.event == "prompt queued"


@pytest.mark.parametrize("queued_at", [None, NOW - 300, NOW - 1], ids=["not queued", "long before", "another one"])
def test_a_prompt_that_was_not_queued_came_after_esc(queued_at: float | None) -> None:
    state = make_hooks("thinking", NOW - 5, tool_before_prompt=BEFORE)
    assert describe_status(decide_status(state, (), make_transcript(queued_at=queued_at), NOW))[1] == "thinking"
    assert describe_status(decide_status(state, (), None, NOW))[1] == "thinking"


def test_esc_after_the_prompt_was_queued_ends_the_tool() -> None:
    state = make_hooks("thinking", NOW - 5, tool_before_prompt=BEFORE)
    facts = make_transcript(queued_at=NOW - 4.9, cut=NOW - 2)
    assert describe_status(decide_status(state, (), facts, NOW)) == ("idle", "interrupted", "transcript")


def test_the_turn_of_a_queued_prompt_is_known_at_once() -> None:
    """No hook tells of its begin, and the registry stays busy."""
    found = decide_status(
        make_hooks("finished", NOW - 0.5),
        (make_entry("busy", NOW - 60),),
        make_transcript(queued_turn_at=NOW - 0.3),
        NOW,
    )
    assert describe_status(found) == ("working", "thinking", "transcript")
    assert (found.since, found.recheck_at) == (NOW - 0.3, None)


@pytest.mark.parametrize(
    "over", [{"turn_ended_at": NOW - 1}, {"cut": NOW - 1}], ids=["it has ended", "it was interrupted"]
)
def test_a_finished_queued_turn_is_not_working(over: dict[str, float]) -> None:
    found = decide_status(make_hooks("finished", NOW - 9), (), make_transcript(queued_turn_at=NOW - 8, **over), NOW)
    assert found.state == "idle"


def test_a_queued_turn_older_than_the_last_hook_event_is_ignored() -> None:
    found = decide_status(make_hooks("finished", NOW - 5), (), make_transcript(queued_turn_at=NOW - 8), NOW)
    assert describe_status(found) == ("idle", "finished", "hooks")


def test_esc_before_a_queued_prompt_starts_it() -> None:
    facts = make_transcript(queued_turn_at=NOW - 2.05, cut=NOW - 2)
    assert describe_status(decide_status(make_hooks("thinking", NOW - 9), (), facts, NOW))[:2] == (
        "working",
        "thinking",
    )


@pytest.mark.parametrize(
    ("queue", "kind", "started", "queued"),
    [
        ((NOW - 5, NOW - 3), "thinking", NOW - 900, 2),
        ((), "thinking", NOW - 900, 0),
        ((NOW - 5,), "finished", NOW - 900, 0),
        ((NOW - 5,), "thinking", NOW - 4, 0),
    ],
    ids=["two", "none", "the turn is over", "of a process before"],
)
def test_queued_prompts_are_counted(queue: tuple[float, ...], kind: str, started: float, queued: int) -> None:
    facts = Facts(
        session_id="s",
        hooks=make_hooks(kind, NOW - 9, fresh=HookStart(at=started)),
        registry=(make_entry("busy" if kind == "thinking" else "idle", NOW - 9, started),),
        processes={7: ProcessFact(pid=7)},
        transcript=make_transcript(queue=queue),
    )
    assert resolve(facts, NOW).session.queued == queued
