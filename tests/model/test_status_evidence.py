"""The evidence names the deciding event, not the last one."""

from typing import Any

import msgspec
import pytest

from atm_hooks.fold import fold_all
from atm_tui.model.facts import HookState
from atm_tui.model.status import decide_status

AGENT = {"agent_id": "a1", "agent_type": "Explore"}
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "make", "hash": "h"}
ASK = {"tool": "Bash", "summary": "make", "hash": "h", "permission_mode": "default"}


def fold_state(*events: tuple[str, dict[str, Any]]) -> HookState:
    made = [
        {"at": 1000.0 + at, "session_id": "s", "event": kind, "pid": 11, **fields}
        for at, (kind, fields) in enumerate(events)
    ]
    return msgspec.convert(fold_all(None, made), HookState)


PROMPT = ("UserPromptSubmit", {"prompt_kind": "human", "prompt": "go"})
BATCH: tuple[str, dict[str, Any]] = ("PostToolBatch", {})
STOP: tuple[str, dict[str, Any]] = ("Stop", {})


@pytest.mark.parametrize(
    ("events", "event", "at"),
    [
        ((PROMPT, STOP, BATCH, ("Notification", {"notification_type": "x"})), "Stop", 1001),
        ((("SessionStart", {"source": "startup"}), ("CwdChanged", {})), "SessionStart", 1000),
        ((PROMPT, ("Notification", {"notification_type": "x"})), "UserPromptSubmit", 1000),
        ((PROMPT, ("PreToolUse", BASH), ("CwdChanged", {})), "PreToolUse", 1001),
        ((PROMPT, ("PreToolUse", BASH), ("PostToolUse", BASH), ("CwdChanged", {})), "PostToolUse", 1002),
        ((PROMPT, ("PreToolUse", BASH), ("PostToolUseFailure", BASH)), "PostToolUseFailure", 1002),
        ((PROMPT, BATCH, ("Notification", {"notification_type": "x"})), "PostToolBatch", 1001),
        ((PROMPT, ("PreToolUse", BASH), ("PermissionRequest", ASK), ("CwdChanged", {})), "PermissionRequest", 1002),
        ((PROMPT, ("Elicitation", {"server": "f", "message": "?"}), ("CwdChanged", {})), "Elicitation", 1001),
        (
            (PROMPT, ("Notification", {"notification_type": "permission_prompt", "message": "x"}), ("CwdChanged", {})),
            "Notification",
            1001,
        ),
        ((PROMPT, ("StopFailure", {"error": "rate_limit"}), ("CwdChanged", {})), "StopFailure", 1001),
        ((PROMPT, ("Notification", {"notification_type": "idle_prompt"}), ("CwdChanged", {})), "Notification", 1001),
        ((PROMPT, ("PreCompact", {"trigger": "auto"}), ("CwdChanged", {})), "PreCompact", 1001),
        ((PROMPT, ("SubagentStart", AGENT), STOP, ("CwdChanged", {})), "SubagentStart", 1001),
        (
            (PROMPT, ("SubagentStart", AGENT), STOP, ("PreToolUse", BASH | AGENT), ("CwdChanged", {})),
            "PreToolUse",
            1003,
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_the_evidence_names_the_deciding_event(
    events: tuple[tuple[str, dict[str, Any]], ...], event: str, at: float
) -> None:
    evidence = decide_status(fold_state(*events), (), None, 2000.0).evidence
    assert (evidence.source, evidence.event, evidence.at) == ("hooks", event, at)


def test_an_answer_decides_that_nothing_waits() -> None:
    answer = {"tool": "Bash", "hash": "h", "key": "|Bash|h", "decision": "allow", "by": "app", "after": 1.0}
    state = fold_state(
        PROMPT, ("PreToolUse", BASH), ("PermissionRequest", ASK), ("Answered", answer), ("CwdChanged", {})
    )
    evidence = decide_status(state, (), None, 2000.0).evidence
    assert (evidence.event, evidence.at) == ("Answered", 1003)


def test_the_state_of_an_older_hook_names_its_last_event() -> None:
    old = fold_all(None, [{"at": 1.0, "session_id": "s", "event": "UserPromptSubmit", "prompt_kind": "human"}])
    assert old is not None
    del old["decided_by"]
    assert decide_status(msgspec.convert(old, HookState), (), None, 2000.0).evidence.event == "UserPromptSubmit"
