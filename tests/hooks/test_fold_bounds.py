"""Every list is bounded: a session of months has a state file of some hundred kilobytes at most."""

from collections.abc import Callable
from typing import Any

from atm_hooks.codec import encode
from atm_hooks.fold import KEEP_AGENTS, KEEP_COUNTED, KEEP_FILES, KEEP_TOOLS, fold_all
from atm_hooks.parts import KEEP_LIST

Make = Callable[..., dict[str, Any]]
LONG = "x" * 200


def fat(make: Make, number: int) -> dict[str, Any]:
    """What a very long session leaves, with everything that can be many, many times."""
    events: list[dict[str, Any]] = []
    for n in range(number):
        agent = {"agent_id": f"a{n:017}", "agent_type": "general-purpose"}
        call = {
            "tool": "Agent",
            "tool_use_id": f"toolu_{n:024}",
            "description": LONG,
            "subagent_type": "general-purpose",
        }
        bash = {
            "tool": f"mcp__server__tool{n % 300}",
            "tool_use_id": f"toolu_b{n:023}",
            "summary": LONG,
            "hash": f"{n:016}",
        }
        events += [
            make("UserPromptSubmit", prompt_kind="human", prompt="p" * 500, prompt_id=f"{n:036}", pid=n),
            make("PreToolUse", **call, pid=n),
            make("SubagentStart", **agent, pid=n),
            make("PostToolUse", **call, child=agent["agent_id"], child_model="claude-opus-5-5", pid=n),
            make("PreToolUse", **bash, **agent, pid=n),
            make("PermissionRequest", **bash, **agent, pid=n),
            make("Notification", notification_type="permission_prompt", message=LONG, pid=n),
            make("PostToolUseFailure", **(bash | {"tool_use_id": f"toolu_c{n:023}"}), error=LONG, pid=n),
            make("PostToolUse", tool="Write", tool_use_id=f"w{n}", file=f"/{LONG}/{n}", created=True, pid=n),
            make("PostToolUse", tool="Read", tool_use_id=f"r{n}", file=f"/{LONG}/{n}", pid=n),
            make("PostToolUse", tool="Bash", tool_use_id=f"s{n}", shell=f"b{n}", pid=n),
            make("Elicitation", server=f"server{n}", message=LONG, pid=n),
            make("ElicitationResult", server=f"server{n}", pid=n),
            make("TaskCreated", task_id=f"{n}", subject=LONG, pid=n),
            make("SubagentStop", agent_id=f"ghost{n}", pid=n),
            make("SubagentStop", **agent, reply="r" * 500, pid=n),
            make(f"Event{n}", other_fields=[f"field{n}"], pid=n),
        ]
    state = fold_all(None, events)
    assert state is not None
    return state


def test_lists_are_bounded_and_the_newest_stay(make: Make) -> None:
    state = fat(make, 400)
    assert len(state["agents"]) == KEEP_AGENTS
    assert f"a{399:017}" in state["agents"]
    assert {
        key: len(state[key]) for key in ("prompts", "notifications", "errors", "shells", "strays")
    } == dict.fromkeys(("prompts", "notifications", "errors", "shells", "strays"), KEEP_LIST)
    assert [len(state["files"][kind]) for kind in ("new", "edited", "read")] == [KEEP_FILES, 0, KEEP_FILES]
    assert (state["turns"], len(state["counted"]), len(state["tasks"])) == (400, KEEP_COUNTED, KEEP_FILES)
    assert len(state["main"]["tools"]) <= KEEP_TOOLS
    assert len(state["launches"]) <= KEEP_LIST
    assert len(state["processes"]) <= 8
    assert state["prompts"][-1]["id"] == f"{399:036}"


def test_the_first_unknown_names_stay(make: Make) -> None:
    state = fat(make, 40)
    assert list(state["other_events"]) == [f"Event{n}" for n in range(KEEP_LIST)]


def test_a_state_file_stays_small(make: Make) -> None:
    sizes = [len(encode(fat(make, number))) for number in (400, 800)]
    assert sizes[1] < 400_000
    assert sizes[1] - sizes[0] < 4_000


def test_an_agent_that_is_over_keeps_no_tools(make: Make) -> None:
    agent = {"agent_id": "a1", "agent_type": "Explore"}
    events = [make("PreToolUse", tool="Read", tool_use_id=f"t{n}", **agent) for n in range(30)]
    state = fold_all(None, [*events, make("SubagentStop", **agent)])
    assert state is not None
    assert state["agents"]["a1"]["tools"] == {}
