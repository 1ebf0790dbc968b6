"""The text of the status line: its segments, forms and widths."""

from typing import Any

import pytest

from atm_hooks.line import build_line
from atm_hooks.line_settings import SEGMENTS, THRESHOLDS
from atm_hooks.line_text import Style, count_text_cells, join_parts
from tests.support.effort import LONG

NOW = 1_000_000.0
FACTS: dict[str, Any] = {
    "at": NOW,
    "clock": lambda at: f"+{at - NOW:.0f}",
    "branch": "fix/login",
    "metrics": {
        "model_name": "Opus 5.5",
        "used_percent": 61,
        "cost_usd": 3.2,
        "limits": {"five_hour": {"percent": 71, "resets_at": NOW + 7800}, "seven_day": {"percent": 94}},
        "cache": {"hit_percent": 88.0, "warm_until": NOW + 300},
    },
}


def make_state(*states: str, **fields: Any) -> dict[str, Any]:
    agents = {f"a{n}": {"state": each, "type": f"Agent{n}"} for n, each in enumerate(states)}
    return {"activity": {"kind": "thinking"}, "waits": [], "agents": agents, **fields}


def write(
    width: int, state: dict[str, Any] | None = None, *, facts: dict[str, Any] = FACTS, plain: bool = False, **style: Any
) -> str:
    chosen = Style(**{"colour": False, "unicode": not plain, "thresholds": THRESHOLDS, **style})
    return join_parts(build_line(facts, state, chosen, SEGMENTS, width), chosen)


def test_wide_medium_and_narrow() -> None:
    state = make_state("working", "needs_you")
    assert write(160, state) == (
        "Opus 5.5 · ▰▰▰▰▰▰▱▱▱▱ 61% · $3.20 · 5h 71% ⟳2h10  7d 94% · cache hits 88% until +300 · fix/login"
        " · ◐ working  ● Agent1  ◐ Agent0"
    )
    assert write(80, state) == "Opus 5.5 · ▰▰▰▱▱ 61% · $3.20 · 5h 71%  7d 94% · cache 88% · fix/login · ◐ ●◐"
    assert write(59, state) == "Opus 5.5 · 61% · $3.20 · 7d 94% · fix/login · ◐ ●◐"
    assert write(160, state, plain=True).startswith("Opus 5.5 | [######----] 61% | $3.20 | 5h 71% resets 2h10  7d")


@pytest.mark.parametrize("plain", [False, True])
def test_a_line_is_never_wider_than_the_terminal(plain: bool) -> None:
    facts = {**FACTS, "branch": "日本語" * 9, "metrics": {**FACTS["metrics"], "model_name": "モデル" * 20}}
    for count in (0, 3, 40):
        state = make_state(*["working"] * count)
        for width in range(1, 170) if LONG else (*range(1, 60), *range(60, 170, 7)):
            assert count_text_cells(write(width, state, facts=facts, plain=plain)) <= width


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (None, "○"),
        (make_state(), "◐"),
        (make_state(activity={"kind": "finished"}), "○"),
        (make_state(activity={"kind": "failed"}), "✗"),
        (make_state(waits=[{"reason": "question"}]), "●"),
        (make_state("working", activity={"kind": "finished"}), "◐ ◐"),
        (make_state("stopped", "done", "idle", "failed", "working", "needs_you"), "◐ ●◐✗○✓·"),
        (make_state(*["working"] * 30), "◐ " + "◐" * 30),
        (make_state(*["working"] * 33), "◐ " + "◐" * 30 + " +3"),
        (make_state(7, "no such state"), "◐ ○○"),
    ],
)
def test_each_agent_has_the_sign_of_its_state(state: dict[str, Any] | None, shown: str) -> None:
    style = Style(colour=False, unicode=True, thresholds=THRESHOLDS)
    assert join_parts(build_line({"at": NOW}, state, style, ("agents",), 80), style) == shown


def test_an_ended_agent_is_shown_until_the_next_prompt() -> None:
    state = make_state("done", "done", prompts=[{"at": 50.0}])
    state["agents"]["a0"]["ended_at"], state["agents"]["a1"]["ended_at"] = 49.0, 51.0
    assert write(40, state).endswith(" · ◐ ✓")


@pytest.mark.parametrize(
    ("metrics", "shown"),
    [
        ({"used_percent": "7", "cost_usd": [], "limits": 7, "cache": 7, "usage": 7}, "○"),
        ({"cost_usd": 0.001}, "<$0.01 · ○"),
        ({"cost_usd": 1234.4}, "$1,234 · ○"),
        ({"limits": {"five_hour": {"percent": 71, "resets_at": NOW - 1}}}, "5h – · ○"),
        ({"cache": {"hit_percent": 88.0, "warm_until": NOW - 1}}, "cache 88% cold · ○"),
        ({"usage": {"input_tokens": 1, "cache_read_input_tokens": 3}}, "cache 75% · ○"),
        ({"usage": {"input_tokens": 0}}, "○"),
    ],
)
def test_unknown_figures_are_left_out(metrics: dict[str, Any], shown: str) -> None:
    assert write(80, facts={"at": NOW, "metrics": metrics}) == shown


def test_colours_show_thresholds() -> None:
    def colour_of(percent: float) -> str:
        return write(80, facts={"at": NOW, "metrics": {"used_percent": percent}}, colour=True)[:5]

    assert [colour_of(each) for each in (59, 60, 80)] == ["\x1b[36m", "\x1b[35m", "\x1b[1;3"]
    line = write(160, make_state("failed"), colour=True)
    assert "\x1b[31m✗\x1b[0m" in line
    assert line.count("\x1b[0m") == line.count("\x1b[") / 2
