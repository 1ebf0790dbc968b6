"""An event that lacks what it should carry changes no more than it proves; and no event of an agent moves the main thread."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from atm_hooks import payload
from tests.hooks.folding import fold_events

Make = Callable[..., dict[str, Any]]
PROMPT = {"prompt_kind": "human", "prompt": "fix it", "prompt_id": "p1"}
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "make", "hash": "h"}
ASK = {"tool": "Bash", "summary": "make", "hash": "h", "permission_mode": "default"}
AGENT = {"agent_id": "a1", "agent_type": "Explore"}


def parse_event(**fields: Any) -> dict[str, Any]:
    given = {"session_id": "s1", "hook_event_name": fields.pop("event"), **fields}
    return payload.parse_event(json.dumps(given).encode(), 1500.0, {})


@pytest.mark.parametrize(
    "event",
    [
        {"event": "SubagentStop"},
        {"event": "SubagentStop", "agent_type": "Explore"},
        {"event": "SubagentStop", "background_tasks": []},
        {"event": "SubagentStop", "agent_id": ""},
        {"event": "SubagentStop", "agent_id": None},
        {"event": "SubagentStop", "agent_id": 7},
        {"event": "Stop", "agent_id": 7},
        {"event": "StopFailure", "agent_id": ["a1"], "error": "server_error"},
        {"event": "SubagentStart"},
        {"event": "TeammateIdle"},
        {"event": "PreToolUse"},
        {"event": "PostToolUse"},
        {"event": "PostToolUseFailure"},
        {"event": "PermissionDenied"},
        {"event": "Notification"},
        {"event": "Notification", "notification_type": "idle_prompt", **AGENT},
        {"event": "ElicitationResult"},
        {"event": "TaskCreated"},
        {"event": "TaskCompleted"},
        {"event": "PreCompact", **AGENT},
        {"event": "PostCompact", **AGENT},
        {"event": "SessionStart", "source": "startup", **AGENT},
        {"event": "SessionEnd", **AGENT},
        {"event": "UserPromptSubmit", "prompt": "do it", **AGENT},
        {"event": "UserPromptSubmit"},
        {"event": "CwdChanged"},
        {"event": "PostModelSwitch"},
    ],
    ids=str,
)
def test_an_incomplete_event_of_an_agent_ends_nothing_in_the_main_thread(make: Make, event: dict[str, Any]) -> None:
    events = [
        make("UserPromptSubmit", **PROMPT),
        make("PreToolUse", tool="Read", tool_use_id="t0", summary="a.py", hash="x"),
        make("PermissionRequest", **ASK),
    ]
    before, after = fold_events(*events), fold_events(*events, parse_event(**event))
    assert after["activity"]["tool"] == "Read"
    assert [wait["key"] for wait in after["waits"]] == ["|Bash|h"]
    for key in ("turns", "prompts", "tasks", "session_active", "cwd", "model", "title"):
        assert after.get(key) == before.get(key), key


def test_a_subagent_stop_without_an_id_makes_no_agent_and_ends_none(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("SubagentStart", **AGENT)]
    state = fold_events(*events, parse_event(event="SubagentStop"))
    assert {key: each["state"] for key, each in state["agents"].items()} == {"a1": "working"}
    assert state["strays"] == {}


def test_a_session_start_without_its_source_during_a_compaction_ends_nothing(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("PreCompact", trigger="auto"), make("SessionStart")]
    assert fold_events(*events)["activity"]["kind"] == "compacting"
    assert fold_events(*events, make("PostCompact"))["activity"]["kind"] == "thinking"
    assert fold_events(make("UserPromptSubmit", **PROMPT), make("SessionStart"))["activity"]["kind"] == "new"


@pytest.mark.parametrize("given", [None, "none", {}, 3])
def test_background_tasks_that_are_not_a_list_are_ignored(make: Make, given: object) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("SubagentStart", **AGENT)]
    assert fold_events(*events, parse_event(event="Stop", background_tasks=given))["agents"]["a1"]["state"] == "working"


@pytest.mark.parametrize(
    ("tasks", "state"),
    [
        ([], "stopped"),
        ([{"id": "b1", "type": "shell"}], "stopped"),
        ([{"type": "subagent"}], "working"),
        ([{"id": 4, "type": "subagent"}], "working"),
        ([{"id": f"b{number}", "type": "shell"} for number in range(60)], "working"),
    ],
    ids=["none", "another", "without its id", "an id that is none", "more than are kept"],
)
def test_only_a_complete_task_list_ends_an_agent(make: Make, tasks: list[object], state: str) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("SubagentStart", **AGENT)]
    assert fold_events(*events, parse_event(event="Stop", background_tasks=tasks))["agents"]["a1"]["state"] == state


def test_a_sample_without_figures_leaves_the_last_ones(make: Make) -> None:
    state = fold_events(make("Sample", metrics={"cost_usd": 1.5}), make("Sample"))
    assert state["metrics"] == {"at": 1001, "cost_usd": 1.5}


def test_a_request_without_a_tool_is_still_a_request(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), parse_event(event="PermissionRequest")]
    assert [wait["reason"] for wait in fold_events(*events)["waits"]] == ["permission"]
    events.append(parse_event(event="PostToolUse"))
    assert [wait["reason"] for wait in fold_events(*events)["waits"]] == ["permission"]


def test_a_call_known_only_by_its_id_starts_and_ends(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), parse_event(event="PreToolUse", tool_use_id="t9")]
    assert fold_events(*events)["activity"]["kind"] == "tool"
    assert fold_events(*events, parse_event(event="PostToolUse", tool_use_id="t9"))["activity"]["kind"] == "thinking"
