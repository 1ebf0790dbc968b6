"""fold(state, event) -> state: the one place that decides what an event means. Pure.

Events can arrive late, twice or out of order (hooks run side by side), so the result doesn't depend on their order. Of
single values the one with the newest `at` is kept; tools, agents and requests are kept by the ids that payloads carry; and
what a person wants to know (is the turn over, what waits) is derived from these in derive.py. Every list is bounded.
"""

from atm_hooks import fold_threads, fold_tools
from atm_hooks.codec import Object as Event
from atm_hooks.codec import Object as State
from atm_hooks.derive import derive
from atm_hooks.threads import EMPTY
from atm_hooks.updates import copy_part, drop_oldest, move_forward, record_name, set_greatest, set_newest

# An event changes no more than it proves: one without the fields that say whose it is, or what it is about, ends and starts
# nothing, and an agent's event changes nothing of the main thread.

SCHEMA = 1
"""The version of the state file. A file of another version is folded anew from the journal."""
DAMAGED = (LookupError, TypeError, ValueError, AttributeError)
"""The errors raised for an event that can't be folded: of another version, or damaged."""
LATEST_TIME = 2e10
"""Epoch seconds above which a time counts as damaged."""
_NUMBER = (int, float)
_TEXTS = (
    *("event", "session_id", "cwd", "project_dir", "transcript_path", "title", "model", "permission_mode", "effort"),
    *("entrypoint", "version", "pid_start", "agent_id", "agent_type", "prompt_id", "prompt_kind", "prompt", "reply"),
    *("source", "reason", "trigger", "tool", "tool_use_id", "summary", "hash", "error", "file", "shell", "description"),
    *("subagent_type", "teammate", "child", "child_status", "child_model", "notification_type", "message", "server"),
    *("action", "task_id", "subject", "key", "decision", "by"),
)
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(_TEXTS, str),
    **dict.fromkeys(("at", "clock", "ran", "after", "crons"), _NUMBER),
    **dict.fromkeys(("gone_pids", "tool_use_ids", "background_tasks", "other_fields"), list),
    "pid": int,
    "terminal": dict,
    "metrics": dict,
    "created": bool,
    "is_interrupt": bool,
}
"""The types of an event's fields, as written by payload.py."""
KEEP_PROCESSES = 8
KEEP_TASKS = 30


def is_event(given: Event) -> bool:
    """Whether an event from a journal can be folded: it has a name, a possible time, and fields of the right types."""
    at = given.get("at")
    return (
        isinstance(at, _NUMBER)
        and 0 <= at < LATEST_TIME
        and "event" in given
        and all(isinstance(value, _TYPES.get(key, object)) for key, value in given.items())
        and _is_finite(given)
    )


def _is_finite(value: object) -> bool:
    """Whether no number in a value is infinite or NaN: JSON has no form for these, so no state could hold them."""
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True


def fold(state: State | None, event: Event) -> State:
    """Returns the state after one more event; neither argument is changed.

    `state` is None before the first event. An event of an unknown kind sets only its name and the common fields
    (cwd, model, pid).
    """
    return derive(apply(state, event), state)


def fold_all(state: State | None, events: list[Event]) -> State | None:
    """Returns the state after several events: the same as `fold` for each of them, but faster."""
    before = state
    for event in events:
        state = apply(state, event)
    return derive(state, before) if state is not None else None


def fold_possible(events: list[Event]) -> State | None:
    """Folds events from the beginning; skips those that can't be folded (of another version, or damaged)."""
    state: State | None = None
    for event in events:
        try:
            state = apply(state, event)
        except DAMAGED:
            continue
    try:
        return derive(state) if state is not None else None
    except DAMAGED:
        return _fold_one_by_one(events)


def _fold_one_by_one(events: list[Event]) -> State | None:
    """Does the same, slowly: for events that can be applied, but leave a state from which nothing can be derived."""
    state: State | None = None
    for event in events:
        try:
            state = derive(apply(state, event))
        except DAMAGED:
            continue
    return state


def apply(state: State | None, event: Event) -> State:
    """Returns the facts after one more event; derived fields are out of date until `derive`. Neither argument is changed."""
    at, kind = event["at"], event["event"]
    state = dict(state) if state else _make_state(event)
    state.setdefault("begun_turns", state["turns"])
    state["created_at"] = min(state["created_at"] or at, at)
    if kind != "Sample":
        state["heard_at"] = max(state["heard_at"], at)
        set_newest(state, "last_event", kind, at)
    _update_identity(state, event, at)
    _update_process(state, event, at)
    handler = _HANDLERS.get(kind)
    if handler:
        handler(state, event, at)
    elif kind not in _SILENT:
        record_name(state, "other_events", kind, at)
    for field in event.get("other_fields", ()):
        record_name(state, "other_fields", field, at)
    return state


def _make_state(event: Event) -> State:
    return {
        "schema": SCHEMA,
        "session_id": event["session_id"],
        "created_at": 0,
        "heard_at": 0,
        "stamps": {},
        "processes": {},
        "main": dict(EMPTY),
        "agents": {},
        "strays": {},
        "launches": {},
        "shells": {},
        "requests": {},
        "counted": {},
        "turns": 0,
        "begun_turns": 0,
        "turn_ids": {},
        "prompts": [],
        "notifications": [],
        "errors": [],
        "tools_used": {},
        "files": {"new": {}, "edited": {}, "read": {}},
        "tasks": {},
    }


# --- identity and process


def _update_identity(state: State, event: Event, at: float) -> None:
    for key in ("cwd", "project_dir", "transcript_path", "version", "entrypoint", "title"):
        set_newest(state, key, event.get(key), at)
    if not event.get("agent_id"):  # an agent can have its own model, mode and effort
        for key in ("permission_mode", "effort", "model"):
            set_newest(state, key, event.get(key), at)
    if "/projects/" in event.get("transcript_path", ""):
        set_newest(state, "config_dir", event["transcript_path"].rpartition("/projects/")[0], at)


def _update_process(state: State, event: Event, at: float) -> None:
    processes = copy_part(state, "processes")
    key = str(event.get("pid", ""))
    record = processes[key] = dict(processes.get(key) or {"first": at, "last": at, "began": 0, "ended": 0, "gone": 0})
    record["first"], record["last"] = min(record["first"], at), max(record["last"], at)
    if event.get("pid_start"):
        record["start"] = max(record.get("start", ""), event["pid_start"])
    set_greatest(record, "domain", event.get("pid_domain"))
    if event.get("terminal") and (at, repr(event["terminal"])) > (
        record.get("terminal_at", 0),
        repr(record.get("terminal")),
    ):
        record["terminal"], record["terminal_at"] = event["terminal"], at
    if event["event"] == "SessionEnd" and not event.get("agent_id"):
        if (at, event.get("reason", "other")) > (record["ended"], record.get("reason", "")):
            record["ended"], record["reason"] = at, event.get("reason", "other")
    elif event["event"] in ("SessionStart", "UserPromptSubmit") and not event.get("agent_id"):
        move_forward(record, "began", at)
    for other in event.get("gone_pids", ()):
        if str(other) in processes:
            processes[str(other)] = {**processes[str(other)], "gone": max(processes[str(other)]["gone"], at)}
    drop_oldest(processes, KEEP_PROCESSES, "last")


# --- the session


def _begin_session(state: State, event: Event, at: float) -> None:
    """SessionStart. Without its source it can be the end of a compaction, in the middle of a turn."""
    source = event.get("source", "")
    if event.get("agent_id"):
        return
    if source == "compact":
        set_newest(state, "compact_ended", at, at)
    else:
        fresh = {"at": at, "pid": event.get("pid", 0), "source": source}
        set_newest(state, "fresh" if source else "unnamed_start", fresh, at)


def _record_milestone(state: State, event: Event, at: float) -> None:
    if event.get("agent_id"):
        return
    key = {"PreCompact": "compact_began", "PostCompact": "compact_ended", "Setup": "setup_at"}[event["event"]]
    set_newest(state, key, at, at)


def _update_task(state: State, event: Event, at: float) -> None:
    key = event.get("task_id") or event.get("subject", "")
    if not key:
        return
    tasks = copy_part(state, "tasks")
    record = tasks[key] = dict(tasks.get(key) or {"subject": "", "at": at, "done": 0})
    set_greatest(record, "subject", event.get("subject"))
    record["at"] = min(record["at"], at)
    if event["event"] == "TaskCompleted":
        move_forward(record, "done", at)
    drop_oldest(tasks, KEEP_TASKS, "at")


def _set_sample(state: State, event: Event, at: float) -> None:
    if event.get("metrics"):
        set_newest(state, "metrics", {"at": at, **event["metrics"]}, at)


_HANDLERS = {
    "SessionStart": _begin_session,
    "Setup": _record_milestone,
    "UserPromptSubmit": fold_threads.begin_turn,
    "PreToolUse": fold_tools.begin_tool,
    "PostToolUse": fold_tools.end_tool,
    "PostToolUseFailure": fold_tools.end_tool,
    "PostToolBatch": fold_tools.end_step,
    "PermissionRequest": fold_tools.request_permission,
    "PermissionDenied": fold_tools.deny_tool,
    "Answered": fold_tools.record_answer,
    "Notification": fold_tools.record_notification,
    "SubagentStart": fold_threads.begin_agent,
    "SubagentStop": fold_threads.end_agent_turn,
    "Stop": fold_threads.end_turn,
    "StopFailure": fold_threads.fail_turn,
    "TeammateIdle": fold_threads.rest_teammate,
    "TaskCreated": _update_task,
    "TaskCompleted": _update_task,
    "PreCompact": _record_milestone,
    "PostCompact": _record_milestone,
    "Elicitation": fold_tools.request_input,
    "ElicitationResult": fold_tools.receive_input,
    "Sample": _set_sample,
}
_SILENT = frozenset(("SessionEnd", "CwdChanged", "PostModelSwitch", "PreModelSwitch"))
