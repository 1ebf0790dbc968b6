"""What is waited for: a ledger, filled by requests and cleared by the next evidence."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.hooks.folding import fold_events

Make = Callable[..., dict[str, Any]]
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "rm x", "hash": "h1"}
ASK = {key: BASH[key] for key in ("tool", "summary", "hash")} | {"permission_mode": "default"}
AGENT = {"agent_id": "a1", "agent_type": "Explore"}


def list_open_waits(*events: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(wait["agent_id"], wait["reason"], wait["tool"]) for wait in fold_events(*events)["waits"]]


def make_request(make: Make, **who: Any) -> list[dict[str, Any]]:
    return [
        make("UserPromptSubmit", prompt_kind="human", prompt="go"),
        make("PreToolUse", **BASH, **who),
        make("PermissionRequest", **ASK, **who),
    ]


def test_a_request_waits(make: Make) -> None:
    state = fold_events(*make_request(make))
    assert state["waits"] == [
        {
            "key": "|Bash|h1",
            "since": 1003,
            "agent_id": "",
            "reason": "permission",
            "tool": "Bash",
            "summary": "rm x",
            "hash": "h1",
        }
    ]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("PostToolUse", BASH),
        ("PostToolUseFailure", {**BASH, "error": "Exit code 1"}),
        ("PermissionDenied", BASH),
        ("PostToolBatch", {}),
        ("Stop", {}),
        ("StopFailure", {"error": "rate_limit"}),
        ("UserPromptSubmit", {"prompt_kind": "human", "prompt": "something else"}),
        ("SessionEnd", {"reason": "other"}),
        ("SessionStart", {"source": "resume"}),
    ],
)
def test_the_next_event_clears_the_wait(make: Make, kind: str, fields: dict[str, Any]) -> None:
    assert list_open_waits(*make_request(make), make(kind, **fields)) == []


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("PostToolUse", {**BASH, "tool_use_id": "t2", "summary": "ls", "hash": "h2", "tool": "Read"}),
        ("PreToolUse", {**BASH, "tool_use_id": "t2", "summary": "ls", "hash": "h2"}),
        ("PostToolUse", {**BASH, **AGENT}),
        ("PostToolBatch", AGENT),
        ("SubagentStop", AGENT),
        ("UserPromptSubmit", {"prompt_kind": "notification", "child": "a1", "child_status": "completed"}),
        (
            "Notification",
            {"notification_type": "permission_prompt", "message": "Claude needs your permission to use Bash"},
        ),
        ("SessionStart", {"source": "compact"}),
        ("CwdChanged", {"cwd": "/x"}),
    ],
)
def test_unrelated_events_keep_the_wait(make: Make, kind: str, fields: dict[str, Any]) -> None:
    assert list_open_waits(*make_request(make), make(kind, **fields)) == [("", "permission", "Bash")]


def test_each_agent_waits_separately(make: Make) -> None:
    second = {"agent_id": "a2", "agent_type": "Plan"}
    events = [
        *make_request(make, **AGENT),
        make("PreToolUse", **BASH, **second),
        make("PermissionRequest", **ASK, **second),
    ]
    assert list_open_waits(*events) == [("a1", "permission", "Bash"), ("a2", "permission", "Bash")]
    state = fold_events(*events)
    asked = {"kind": "permission", "tool": "Bash", "summary": ASK["summary"]}
    assert {key: (each["state"], each["activity"]) for key, each in state["agents"].items()} == {
        "a1": ("needs_you", asked),
        "a2": ("needs_you", asked),
    }
    assert list_open_waits(*events, make("PostToolUse", **BASH, **second)) == [("a1", "permission", "Bash")]


def test_the_main_thread_continues_while_an_agent_waits(make: Make) -> None:
    events = [*make_request(make, **AGENT), make("PreToolUse", tool="Read", tool_use_id="t9", summary="a.py")]
    state = fold_events(*events, make("Stop", background_tasks=[{"id": "a1", "type": "subagent", "status": "running"}]))
    assert state["activity"]["kind"] == "finished"
    assert [wait["agent_id"] for wait in state["waits"]] == ["a1"]


def test_two_equal_requests_are_one_wait_since_the_first(make: Make) -> None:
    events = [*make_request(make), make("PermissionRequest", **ASK)]
    assert [wait["since"] for wait in fold_events(*events)["waits"]] == [1003]


def test_a_request_asked_again_after_an_answer_waits_from_then(make: Make) -> None:
    events = [*make_request(make), make("PostToolUse", **BASH), make("PermissionRequest", **ASK)]
    assert [wait["since"] for wait in fold_events(*events)["waits"]] == [1005]


def test_a_tool_without_its_hash_is_matched_by_what_it_does(make: Make) -> None:
    done = {key: BASH[key] for key in ("tool", "tool_use_id", "summary")}
    assert list_open_waits(make("PermissionRequest", **ASK), make("PostToolUse", **done)) == []
    assert list_open_waits(make("PermissionRequest", **ASK), make("PostToolUse", **(done | {"summary": "ls"}))) != []


@pytest.mark.parametrize(("tool", "reason"), [("AskUserQuestion", "question"), ("ExitPlanMode", "plan")])
def test_questions_and_plans_are_not_permissions(make: Make, tool: str, reason: str) -> None:
    asked = {"tool": tool, "hash": "q"}
    before = make("PreToolUse", **asked, tool_use_id="t1")
    assert list_open_waits(before) == [("", reason, tool)]
    assert list_open_waits(before, make("PermissionRequest", **asked, permission_mode="bypassPermissions")) == [
        ("", reason, tool)
    ]
    assert list_open_waits(before, make("PostToolUse", **asked, tool_use_id="t1")) == []


def test_nothing_waits_in_bypass_mode(make: Make) -> None:
    assert list_open_waits(make("PermissionRequest", **(ASK | {"permission_mode": "bypassPermissions"}))) == []


def test_an_old_client_reports_waits_only_by_notification(make: Make) -> None:
    message = "Claude needs your permission to use Bash"
    events = [make("UserPromptSubmit", prompt_kind="human"), make("PreToolUse", **BASH)]
    events.append(make("Notification", notification_type="permission_prompt", message=message))
    assert list_open_waits(*events) == [("", "permission", "Bash")]
    assert list_open_waits(*events, make("PostToolUse", **BASH)) == []
    assert list_open_waits(*events, make("Stop")) == []


def test_a_late_notification_of_a_settled_request_is_dropped(make: Make) -> None:
    late = make("Notification", notification_type="permission_prompt", message="Claude needs your permission", at=60)
    assert list_open_waits(*make_request(make), make("PostToolUse", **BASH), late) == []


def test_input_for_an_mcp_server(make: Make) -> None:
    asked = [
        make("PreToolUse", tool="mcp__forms__ask", tool_use_id="t1"),
        make("Elicitation", server="forms", message="Name?"),
    ]
    dialog = make("Notification", notification_type="elicitation_dialog", message="Claude Code needs your input")
    assert list_open_waits(*asked) == list_open_waits(*asked, dialog) == [("", "mcp", "")]
    assert list_open_waits(*asked, dialog, make("ElicitationResult", server="other", action="accept")) == [
        ("", "mcp", "")
    ]
    assert list_open_waits(*asked, dialog, make("ElicitationResult", server="forms", action="accept")) == []
    assert list_open_waits(*asked, dialog, make("PostToolBatch")) == []


def test_a_dialog_that_no_hook_describes(make: Make) -> None:
    events = [*make_request(make), make("PostToolUse", **BASH)]
    events.append(make("Notification", notification_type="agent_needs_input", message="Claude needs your input"))
    assert list_open_waits(*events) == [("", "", "")]


def test_a_request_of_a_stopped_agent_stops_waiting(make: Make) -> None:
    assert list_open_waits(*make_request(make, **AGENT), make("Stop", background_tasks=[])) == []


def test_a_request_before_the_turn_began_is_not_lost(make: Make) -> None:
    """The request's hook is waited for, that of the tool is not: it can come first."""
    assert list_open_waits(make("PermissionRequest", at=5, **ASK), make("PreToolUse", at=4, **BASH)) == [
        ("", "permission", "Bash")
    ]
