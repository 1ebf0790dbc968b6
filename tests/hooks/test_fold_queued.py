"""Prompts that are typed while a turn runs: they end nothing, and those that get a turn of their own are counted."""

import random
from collections.abc import Callable
from typing import Any

from atm_hooks.fold import fold_all

Make = Callable[..., dict[str, Any]]
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "make", "hash": "h"}


def fold_events(*events: dict[str, Any]) -> dict[str, Any]:
    state = fold_all(None, list(events))
    assert state is not None
    for seed in range(3):
        mixed = [*events, *events[:2]]
        random.Random(seed).shuffle(mixed)
        assert fold_all(None, mixed) == state
    return state


def make_prompt(make: Make, text: str, turn: str = "") -> dict[str, Any]:
    return make("UserPromptSubmit", prompt_kind="human", prompt=text, **({"prompt_id": turn} if turn else {}))


def test_a_prompt_with_the_id_of_the_running_turn_keeps_its_tool_and_start(make: Make) -> None:
    events = [make_prompt(make, "a", "p1"), make("PreToolUse", **BASH, prompt_id="p1"), make_prompt(make, "b", "p1")]
    state = fold_events(*events)
    assert (state["activity"]["kind"], state["activity"]["began"], state["turns"]) == ("tool", 1001, 1)
    assert state["tool_before_prompt"] is None


def test_a_prompt_with_another_id_came_after_esc(make: Make) -> None:
    events = [make_prompt(make, "a", "p1"), make("PreToolUse", **BASH, prompt_id="p1"), make_prompt(make, "b", "p2")]
    state = fold_events(*events)
    assert (state["activity"]["kind"], state["activity"]["began"], state["turns"]) == ("thinking", 1003, 2)


def test_a_prompt_without_an_id_keeps_the_tool(make: Make) -> None:
    events = [make_prompt(make, "a"), make("PreToolUse", **BASH), make_prompt(make, "b")]
    state = fold_events(*events)
    assert state["activity"]["kind"] == "thinking"
    tool = {"kind": "tool", "tool": "Bash", "summary": "make", "tool_use_id": "t1", "since": 1002, "prompted": 1003}
    assert state["tool_before_prompt"] == tool
    assert fold_events(*events, make("PostToolUse", **BASH))["tool_before_prompt"] is None
    assert fold_events(*events, make("Stop"))["tool_before_prompt"] is None


def test_a_turn_of_a_queued_prompt_is_counted_at_its_end(make: Make) -> None:
    events = [make_prompt(make, "a", "p1"), make_prompt(make, "b", "p1"), make("Stop", prompt_id="p1")]
    assert fold_events(*events)["turns"] == 1
    events.append(make("Stop", prompt_id="p2"))
    assert fold_events(*events)["turns"] == 2
    events.append(make("Stop", prompt_id="p3"))
    assert fold_events(*events)["turns"] == 2, "one prompt was queued, so one turn follows"


def test_a_queued_prompt_absorbed_by_the_running_turn_is_not_a_turn(make: Make) -> None:
    events = [
        make_prompt(make, "a", "p1"),
        make_prompt(make, "b", "p1"),
        make("Stop", prompt_id="p1"),
        make_prompt(make, "c", "p2"),
    ]
    assert fold_events(*events, make("Stop", prompt_id="p2"))["turns"] == 2


def test_turns_without_a_queued_prompt_are_not_counted(make: Make) -> None:
    notice = make("UserPromptSubmit", prompt_kind="notification", child="a1", prompt_id="n1")
    events = [make_prompt(make, "a", "p1"), make_prompt(make, "b", "p1"), make("Stop", prompt_id="p1")]
    assert fold_events(*events, notice, make("Stop", prompt_id="n1"))["turns"] == 1
    assert (
        fold_events(make_prompt(make, "a", "p1"), make("Stop", prompt_id="p1"), make("Stop", prompt_id="x"))["turns"]
        == 1
    )


def test_a_failed_turn_of_a_queued_prompt_counts_as_well(make: Make) -> None:
    events = [make_prompt(make, "a", "p1"), make_prompt(make, "b", "p1"), make("Stop", prompt_id="p1")]
    assert fold_events(*events, make("StopFailure", prompt_id="p2", error="rate_limit"))["turns"] == 2


def test_a_hundred_queued_turns_are_all_counted(make: Make) -> None:
    events = []
    for number in range(100):
        events += [make_prompt(make, "a", f"p{number}"), make_prompt(make, "b", f"p{number}")]
        events += [make("Stop", prompt_id=f"p{number}"), make("Stop", prompt_id=f"q{number}")]
    state = fold_all(None, events)
    assert state is not None
    assert state["turns"] == 200


def test_a_state_of_an_older_hook_continues_counting(make: Make) -> None:
    old = fold_events(make_prompt(make, "a", "p1"), make("Stop", prompt_id="p1"))
    for key in ("begun_turns", "ended_ids", "queued_prompts", "decided_by", "tool_before_prompt"):
        old.pop(key, None)
    later = fold_all(old | {"turns": 7}, [make_prompt(make, "b", "p2")])
    assert later is not None
    assert later["turns"] == 8
