"""Every list is bounded: a session of months has a state file of a hundred kilobytes at most."""

from collections.abc import Callable
from typing import Any

from atm_hooks.codec import encode
from atm_hooks.fold import fold_all
from atm_hooks.fold_threads import KEEP_AGENTS, KEEP_OVER, KEEP_TOOLS
from atm_hooks.fold_tools import KEEP_COUNTED, KEEP_FILES
from atm_hooks.updates import KEEP_LIST
from tests.hooks.fat import make_fat_state
from tests.support.effort import LONG

Make = Callable[..., dict[str, Any]]


def test_lists_are_bounded_and_the_newest_stay() -> None:
    state = make_fat_state(400)
    assert len(state["agents"]) == KEEP_AGENTS
    assert [key[0] for key in state["agents"]] == ["a"] * KEEP_OVER + ["b"] * 24
    assert f"a{399:017}" in state["agents"]
    assert {
        key: len(state[key]) for key in ("prompts", "notifications", "errors", "answers", "shells", "strays")
    } == dict.fromkeys(("prompts", "notifications", "errors", "answers", "shells", "strays"), KEEP_LIST)
    assert [len(state["files"][kind]) for kind in ("new", "edited", "read")] == [KEEP_FILES, 0, KEEP_FILES]
    assert (state["turns"], len(state["counted"]), len(state["tasks"])) == (400, KEEP_COUNTED, KEEP_FILES)
    assert len(state["main"]["tools"]) <= KEEP_TOOLS
    assert len(state["launches"]) <= KEEP_LIST
    assert len(state["processes"]) <= 8
    assert state["prompts"][-1]["id"] == f"{399:036}"


def test_the_first_unknown_names_stay() -> None:
    state = make_fat_state(40)
    assert sorted(state["other_events"]) == [f"Event{n}" for n in range(KEEP_LIST)]


def test_a_state_file_stays_small() -> None:
    sizes = [len(encode(make_fat_state(number))) for number in ((400, 800) if LONG else (200, 300))]
    assert sizes[1] < 150_000
    assert sizes[1] - sizes[0] < 4_000


def test_an_ended_agent_keeps_no_tools(make: Make) -> None:
    agent = {"agent_id": "a1", "agent_type": "Explore"}
    events = [make("PreToolUse", tool="Read", tool_use_id=f"t{n}", **agent) for n in range(30)]
    state = fold_all(None, [*events, make("SubagentStop", **agent)])
    assert state is not None
    assert "tools" not in state["agents"]["a1"]
