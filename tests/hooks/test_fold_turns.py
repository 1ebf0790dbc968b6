"""Turns: when one runs, how it ended, and what does not move it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.hooks.folding import fold_events

Make = Callable[..., dict[str, Any]]
PROMPT = {"prompt_kind": "human", "prompt": "fix it"}
BASH = {"tool": "Bash", "tool_use_id": "t1", "summary": "make", "hash": "h"}
AGENT = {"agent_id": "a1", "agent_type": "Explore"}


def find_kind(*events: dict[str, Any]) -> str:
    found: str = fold_events(*events)["activity"]["kind"]
    return found


def test_a_plain_turn(make: Make) -> None:
    events = [make("SessionStart", source="startup", model="m")]
    assert fold_events(*events)["activity"] == {"kind": "new", "since": 1001}
    events.append(make("UserPromptSubmit", **PROMPT))
    assert fold_events(*events)["activity"] == {"kind": "thinking", "since": 1002, "began": 1002}
    events.append(make("PreToolUse", **BASH))
    assert fold_events(*events)["activity"] == {
        "kind": "tool", "tool": "Bash", "summary": "make", "tool_use_id": "t1", "since": 1003, "began": 1002
    }  # fmt: skip
    events.append(make("PostToolUse", **BASH))
    assert fold_events(*events)["activity"] == {"kind": "thinking", "since": 1004, "began": 1002}
    events += [make("PostToolBatch"), make("Stop", reply="done")]
    assert fold_events(*events)["activity"] == {"kind": "finished", "since": 1006}
    assert fold_events(*events)["last_reply"] == "done"


def test_a_session_began_with_its_earliest_event(make: Make) -> None:
    events = [make("SessionStart", source="startup"), make("UserPromptSubmit", **PROMPT), make("Stop")]
    for order in (events, events[::-1], [events[1], events[0], events[2]]):
        assert fold_events(*order)["created_at"] == 1001


def test_a_call_that_is_reported_twice_began_the_first_time(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH), make("PreToolUse", at=1009, **BASH)]
    for order in (events, [events[0], *events[:0:-1]]):
        assert fold_events(*order)["activity"]["since"] == 1002


def test_a_tool_that_runs_for_hours_still_runs(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH), make("Sample", at=9000, metrics={})]
    assert find_kind(*events) == "tool"


def test_the_newest_of_several_running_tools_is_shown(make: Make) -> None:
    second = {"tool": "Read", "tool_use_id": "t2", "summary": "a.py"}
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH), make("PreToolUse", **second)]
    assert fold_events(*events)["activity"]["tool"] == "Read"
    assert fold_events(*events, make("PostToolUse", **second))["activity"]["tool"] == "Bash"


def test_the_next_step_ends_tools_without_an_end_event(make: Make) -> None:
    assert (
        find_kind(make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH), make("PostToolBatch")) == "thinking"
    )


@pytest.mark.parametrize("later", ["PreToolUse", "PostToolUse"])
def test_a_step_ends_a_tool_whose_hook_started_later(make: Make, later: str) -> None:
    """The client starts both hooks within milliseconds when a rule denies the tool."""
    batch = make("PostToolBatch", tool_use_ids=["t1"])
    events = [make("UserPromptSubmit", **PROMPT), batch, make(later, **BASH)]
    assert find_kind(*events) == find_kind(events[0], events[2], batch) == "thinking"


def test_a_client_without_ids_of_tools(make: Make) -> None:
    call = {"tool": "Bash", "summary": "make"}
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **call)]
    assert find_kind(*events) == "tool"
    events.append(make("PostToolUse", **call))
    assert find_kind(*events) == "thinking"
    events.append(make("PreToolUse", **call))
    assert find_kind(*events) == "tool"
    assert fold_events(*events)["tools_used"] == {"Bash": 1}


def test_an_api_error_is_a_failed_turn(make: Make) -> None:
    prompt = make("UserPromptSubmit", **PROMPT)
    failed = make("StopFailure", error="rate_limit", reply="API Error: 429", prompt_id="p")
    state = fold_events(prompt, failed, failed | {"at": failed["at"] + 1})
    assert state["activity"] == {"kind": "failed", "since": 1003, "error": "rate_limit"}
    assert [(each["kind"], each["message"]) for each in state["errors"]] == [("rate_limit", "API Error: 429")]
    assert find_kind(make("StopFailure", error="x"), make("UserPromptSubmit", **PROMPT)) == "thinking"


def test_a_failed_tool_is_not_a_failed_turn(make: Make) -> None:
    state = fold_events(make("UserPromptSubmit", **PROMPT), make("PostToolUseFailure", **BASH, error="Exit code 2"))
    assert state["activity"]["kind"] == "thinking"
    assert [each["message"] for each in state["errors"]] == ["Exit code 2"]


def test_an_interrupted_tool_ends_the_turn(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH)]
    assert (
        find_kind(*events, make("PostToolUseFailure", **BASH, error="interrupted", is_interrupt=True)) == "interrupted"
    )


def test_a_silent_minute_ends_a_turn_left_with_esc(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH)]
    idle = make("Notification", notification_type="idle_prompt", message="Claude is waiting for your input")
    assert find_kind(*events, idle) == "interrupted"
    assert find_kind(*events, make("Stop"), idle) == "finished"
    assert find_kind(*events, idle, make("UserPromptSubmit", **PROMPT)) == "thinking"


def test_a_prompt_after_esc_ends_the_tool_of_the_previous_turn(make: Make) -> None:
    assert (
        find_kind(make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH), make("UserPromptSubmit", **PROMPT))
        == "thinking"
    )


def test_a_stop_hook_sends_the_client_back_to_work(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("Stop"), make("PreToolUse", **BASH)]
    assert find_kind(*events) == "tool"
    state = fold_events(
        *events, make("PostToolUse", **BASH), make("PostToolBatch"), make("Stop", stop_hook_active=True)
    )
    assert (state["activity"]["kind"], state["turns"]) == ("finished", 1)


def test_a_turn_that_begins_without_a_prompt(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("Stop"), make("PreToolUse", **BASH)]
    assert fold_events(*events)["activity"]["began"] == fold_events(*events)["activity"]["since"] == 1003


@pytest.mark.parametrize(
    "event",
    [
        {"event": "SubagentStop", **AGENT},
        {"event": "Stop", **AGENT},
        {"event": "StopFailure", "error": "server_error", **AGENT},
        {"event": "SubagentStop", "agent_id": "ghost"},
        {"event": "PostToolBatch", **AGENT},
        {"event": "TeammateIdle", "agent_id": "a1", "teammate": "writer"},
    ],
)
def test_an_agents_event_does_not_change_the_parents_state(make: Make, event: dict[str, Any]) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("SubagentStart", **AGENT), make("PreToolUse", **BASH)]
    assert fold_events(*events, make(event.pop("event"), **event))["activity"] == fold_events(*events)["activity"]


def test_an_agents_mode_and_model_are_not_the_sessions(make: Make) -> None:
    state = fold_events(
        make("UserPromptSubmit", **PROMPT, model="opus", permission_mode="plan"),
        make("PreToolUse", **BASH, **AGENT, model="haiku", permission_mode="acceptEdits"),
    )
    assert (state["model"], state["permission_mode"]) == ("opus", "plan")


def test_a_task_notification_is_not_a_prompt(make: Make) -> None:
    state = fold_events(
        make("UserPromptSubmit", **PROMPT, prompt_id="p1"),
        make("Stop"),
        make("UserPromptSubmit", prompt_kind="notification", child="a1", child_status="completed", prompt_id="p2"),
    )
    assert state["activity"]["kind"] == "thinking"
    assert (state["turns"], [each["text"] for each in state["prompts"]]) == (1, ["fix it"])


def test_a_prompt_queued_in_the_same_turn_is_kept(make: Make) -> None:
    first, second = (make("UserPromptSubmit", prompt_kind="human", prompt=text, prompt_id="p1") for text in "ab")
    state = fold_events(first, second, second)
    assert (state["turns"], [each["text"] for each in state["prompts"]]) == (1, ["a", "b"])


def test_manual_compaction_and_its_late_events(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("Stop"), make("PreCompact", trigger="manual")]
    assert find_kind(*events) == "compacting"
    events += [make("SubagentStop", agent_id="g1"), make("SubagentStop", agent_id="g2")]
    state = fold_events(*events, make("SessionStart", source="compact", model="m"), make("PostCompact"))
    assert (state["activity"]["kind"], state["activity"]["since"], state["agents"]) == ("finished", 1007, {})


def test_compaction_in_a_turn(make: Make) -> None:
    events = [
        make("UserPromptSubmit", **PROMPT),
        make("PreCompact", trigger="auto"),
        make("SessionStart", source="compact"),
    ]
    assert find_kind(*events, make("PostCompact")) == "thinking"
    events = [make("UserPromptSubmit", **PROMPT), make("PreCompact", trigger="auto")]
    events.append(make("StopFailure", agent_id="g", error="invalid_request"))
    assert find_kind(*events) == "compacting"
    state = fold_events(*events, make("StopFailure", error="invalid_request"))
    assert (state["activity"]["kind"], len(state["errors"])) == ("failed", 1)


def test_setting_up(make: Make) -> None:
    assert find_kind(make("Setup", trigger="init")) == "setup"
    assert find_kind(make("Setup", trigger="init"), make("SessionStart", source="startup")) == "new"


def test_unknown_events_and_fields_are_kept_by_name_and_change_nothing(make: Make) -> None:
    events = [make("UserPromptSubmit", **PROMPT), make("PreToolUse", **BASH)]
    state = fold_events(*events, make("HoverCompleted", other_fields=["colour"], at=3))
    assert (state["other_events"], state["other_fields"]) == ({"HoverCompleted": 1003}, {"colour": 1003})
    assert state["activity"] == fold_events(*events)["activity"]


def test_a_statusline_sample_does_not_count_as_activity(make: Make) -> None:
    state = fold_events(
        make("UserPromptSubmit", **PROMPT), make("Sample", metrics={"cost_usd": 1.5}, title="mine", at=50)
    )
    assert (state["metrics"], state["title"]) == ({"at": 1050, "cost_usd": 1.5}, "mine")
    assert (state["updated_at"], state["last_event"]) == (1001, "UserPromptSubmit")
