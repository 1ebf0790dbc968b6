"""Subagents and teammates: when they work, how they ended, and what ends them when no event does."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.hooks.folding import fold_events

Make = Callable[..., dict[str, Any]]
A1 = {"agent_id": "a1", "agent_type": "Explore"}
A2 = {"agent_id": "a2", "agent_type": "Explore"}
READ = {"tool": "Read", "tool_use_id": "r1", "summary": "a.py"}


def fold_agents(*events: dict[str, Any]) -> dict[str, str]:
    return {key: each["state"] for key, each in fold_events(*events)["agents"].items()}


def make_running(*ids: str) -> list[dict[str, str]]:
    return [{"id": each, "type": "subagent", "status": "running"} for each in ids]


def make_launch(make: Make, child: str, **fields: Any) -> list[dict[str, Any]]:
    call = {
        "tool": "Agent",
        "tool_use_id": f"call-{child}",
        "description": f"look for {child}",
        "subagent_type": "Explore",
    }
    return [
        make("PreToolUse", **call, **fields),
        make("SubagentStart", agent_id=child, agent_type="Explore"),
        make("PostToolUse", **call, child=child, child_status="async_launched", child_model="haiku", **fields),
    ]


def test_the_states_of_a_subagent(make: Make) -> None:
    events = make_launch(make, "a1")
    agent = fold_events(*events)["agents"]["a1"]
    known = {"type": "Explore", "description": "look for a1", "model": "haiku", "parent": "", "started_at": 1002}
    assert {key: agent[key] for key in known} == known
    assert (agent["state"], agent["activity"], agent["ended_at"]) == ("working", {"kind": "thinking"}, None)
    events.append(make("PreToolUse", **READ, **A1))
    assert fold_events(*events)["agents"]["a1"]["activity"] == {"kind": "tool", "tool": "Read", "summary": "a.py"}
    events += [
        make("PostToolUse", **READ, **A1),
        make("PostToolBatch", **A1),
        make("SubagentStop", **A1, reply="found it"),
    ]
    agent = fold_events(*events)["agents"]["a1"]
    assert (agent["state"], agent["activity"], agent["ended_at"], agent["last_reply"]) == ("done", {}, 1007, "found it")


def test_agents_outlive_the_main_turn(make: Make) -> None:
    events = [*make_launch(make, "a1"), make("Stop", background_tasks=make_running("a1"))]
    assert (fold_events(*events)["activity"]["kind"], fold_agents(*events)) == ("finished", {"a1": "working"})


def test_agents_missing_from_the_clients_list_have_ended(make: Make) -> None:
    events = [make("SubagentStart", agent_id=f"a{n}", agent_type="Explore") for n in range(1, 9)]
    events += [make("SubagentStop", **A1), make("Stop", background_tasks=make_running("a3"))]
    assert fold_agents(*events) == {"a1": "done", "a3": "working"} | dict.fromkeys(
        ("a2", "a4", "a5", "a6", "a7", "a8"), "stopped"
    )


def test_without_a_list_agents_keep_running(make: Make) -> None:
    assert fold_agents(make("SubagentStart", **A1), make("Stop")) == {"a1": "working"}


def test_an_agent_started_after_the_list_keeps_running(make: Make) -> None:
    assert fold_agents(make("Stop", background_tasks=[]), make("SubagentStart", **A1)) == {"a1": "working"}


def test_an_agent_known_only_from_the_list(make: Make) -> None:
    task = {"id": "a1", "type": "subagent", "status": "running", "agent_type": "Explore", "description": "look"}
    state = fold_events(make("Stop", background_tasks=[task, {"id": "b1", "type": "shell", "status": "running"}]))
    assert [(key, each["state"], each["description"]) for key, each in state["agents"].items()] == [
        ("a1", "working", "look")
    ]
    assert fold_agents(make("Stop", background_tasks=[task]), make("Stop", background_tasks=[])) == {"a1": "stopped"}
    assert fold_agents(make("Stop", background_tasks=[task | {"status": "completed"}])) == {}


@pytest.mark.parametrize("fields", [{"agent_id": "ghost"}, {"agent_id": "ghost", "agent_type": "Explore"}])
def test_the_end_of_an_unknown_agent_creates_none(make: Make, fields: dict[str, str]) -> None:
    assert fold_agents(make("SubagentStart", **A1), make("SubagentStop", **fields)) == {"a1": "working"}
    assert fold_agents(make("StopFailure", error="x", **fields)) == {}


def test_an_end_that_comes_before_the_start(make: Make) -> None:
    assert fold_agents(make("SubagentStop", at=9, **A1), make("SubagentStart", at=2, **A1)) == {"a1": "done"}


def test_a_repeated_end_keeps_its_first_time(make: Make) -> None:
    events = [make("SubagentStart", **A1)] + [make("SubagentStop", at=10 + 30 * n, **A1) for n in range(40)]
    assert fold_events(*events)["agents"]["a1"]["ended_at"] == 1010


def test_an_agent_that_starts_again_works_again(make: Make) -> None:
    events = [make("SubagentStart", **A1), make("SubagentStop", **A1), make("SubagentStart", **A1)]
    assert fold_agents(*events) == {"a1": "working"}
    agent = fold_events(*events, make("SubagentStop", **A1))["agents"]["a1"]
    assert (agent["state"], agent["started_at"], agent["ended_at"]) == ("done", 1001, 1004)


@pytest.mark.parametrize(
    ("status", "state"), [("completed", "done"), ("failed", "failed"), ("killed", "stopped"), ("odd", "done")]
)
def test_the_clients_notice_ends_an_agent(make: Make, status: str, state: str) -> None:
    start = make("SubagentStart", **A1)
    notice = make("UserPromptSubmit", prompt_kind="notification", child="a1", child_status=status)
    assert fold_agents(start, notice) == {"a1": state}


def test_an_api_error_in_an_agent_is_its_own_failure(make: Make) -> None:
    events = [make("UserPromptSubmit", prompt_kind="human"), make("SubagentStart", **A1)]
    events.append(make("StopFailure", error="server_error", reply="API Error: 500", **A1))
    state = fold_events(*events)
    assert (state["agents"]["a1"]["state"], state["activity"]["kind"]) == ("failed", "thinking")
    assert [(each["agent_id"], each["kind"]) for each in state["errors"]] == [("a1", "server_error")]
    notice = make("UserPromptSubmit", prompt_kind="notification", child="a1", child_status="failed")
    assert fold_agents(*events, notice) == {"a1": "failed"}


def test_all_agents_are_stopped_by_the_user(make: Make) -> None:
    events = [make("SubagentStart", **A1), make("SubagentStart", **A2), make("SubagentStop", **A2)]
    assert fold_agents(*events, make("UserPromptSubmit", prompt_kind="stopped")) == {"a1": "stopped", "a2": "done"}


def test_a_parent_waiting_for_its_child_is_working(make: Make) -> None:
    events = [*make_launch(make, "a1"), *make_launch(make, "a2", **A1), make("SubagentStop", **A1)]
    state = fold_events(*events)
    assert [(each["state"], each["activity"], each["parent"]) for each in state["agents"].values()] == [
        ("working", {"kind": "agents", "count": 1}, ""),
        ("working", {"kind": "thinking"}, "a1"),
    ]
    listed = make("Stop", background_tasks=make_running("a1"))
    assert fold_agents(*events, listed) == {"a1": "working", "a2": "working"}
    assert fold_agents(*events, listed, make("SubagentStop", **A2)) == {"a1": "done", "a2": "done"}


def test_a_launch_that_has_not_returned_is_matched_by_type_and_order(make: Make) -> None:
    calls = [
        make("PreToolUse", tool="Agent", tool_use_id=f"t{n}", description=f"task {n}", subagent_type=kind)
        for n, kind in enumerate(("Explore", "Plan", "Explore"))
    ]
    starts = [
        make("SubagentStart", **A1),
        make("SubagentStart", agent_id="p", agent_type="Plan"),
        make("SubagentStart", **A2),
    ]
    state = fold_events(*calls, *starts)
    assert [each["description"] for each in state["agents"].values()] == ["task 0", "task 1", "task 2"]
    told_now = make("PostToolUse", tool="Agent", tool_use_id="t2", description="task 2", child="a1")
    state = fold_events(*calls, *starts, told_now)
    assert {key: each["description"] for key, each in state["agents"].items()} == {
        "a1": "task 2",
        "p": "task 1",
        "a2": "task 0",
    }


def test_a_failed_launch_names_no_later_agent(make: Make) -> None:
    denied = [
        make("PreToolUse", tool="Agent", tool_use_id="t1", description="old", subagent_type="Explore"),
        make("PostToolBatch"),
    ]
    assert "description" not in fold_events(*denied, make("SubagentStart", **A1))["agents"]["a1"]


def test_teammates_are_idle_between_turns_and_end_with_the_session(make: Make) -> None:
    mate = {"agent_id": "awriter-1", "agent_type": "writer"}
    call = {
        "tool": "Agent",
        "tool_use_id": "t1",
        "description": "write",
        "subagent_type": "general-purpose",
        "teammate": "writer",
    }
    events = [
        make("PreToolUse", **call),
        make("SubagentStart", **mate),
        make("PostToolUse", **call, child="awriter-1", child_status="teammate_spawned"),
    ]
    agent = fold_events(*events)["agents"]["awriter-1"]
    assert (agent["kind"], agent["name"], agent["state"]) == ("teammate", "writer", "working")
    other_ids = [{"id": "t99", "type": "teammate", "status": "running"}]
    events += [make("SubagentStop", **mate), make("TeammateIdle", **mate, teammate="writer")]
    assert fold_agents(*events, make("Stop", background_tasks=other_ids)) == {"awriter-1": "idle"}
    assert fold_agents(*events, make("PreToolUse", **READ, **mate)) == {"awriter-1": "working"}
    assert fold_agents(*events, make("SessionEnd", reason="other")) == {"awriter-1": "stopped"}


@pytest.mark.parametrize("kind", ["SessionEnd", "SessionStart"])
def test_agents_end_with_their_process(make: Make, kind: str) -> None:
    events = [make("SubagentStart", **A1), make("SubagentStart", **A2), make("SubagentStop", **A2)]
    assert fold_agents(*events, make(kind)) == {"a1": "stopped", "a2": "done"}


def test_tools_of_agents_are_counted_with_the_sessions(make: Make) -> None:
    events = [
        make("PostToolUse", **READ, **A1),
        make("PostToolUse", **READ, **A1),
        make("PostToolUse", **(READ | {"tool_use_id": "r2"})),
    ]
    assert fold_events(*events)["tools_used"] == {"Read": 2}
    assert fold_agents(*events) == {"a1": "working"}
