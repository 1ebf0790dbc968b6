"""The part of fold about tool calls and requests: permissions, questions, plans, input for MCP servers. Pure.

Each function changes a state that `apply` has copied, and copies the parts that it changes.
"""

from atm_hooks.codec import Object as Event
from atm_hooks.codec import Object as State
from atm_hooks.fold_threads import (
    KEEP_TOOLS,
    drop_ended_tools,
    edit_agent,
    edit_thread,
    edit_tool,
    mark_begin,
    mark_end,
)
from atm_hooks.updates import KEEP_LIST, add_to_list, copy_part, drop_oldest, move_forward, set_greatest, set_newest

KEEP_COUNTED = 200
"""Number of ids of counted tools that are kept, so that a duplicate event is counted once."""
KEEP_REQUESTS = 50
KEEP_FILES = 30
"""Number of files kept for each kind: new, edited, read."""
KEEP_NAMES = 200
"""Names of tools whose calls are counted."""

_QUESTIONS = {"AskUserQuestion": "question", "ExitPlanMode": "plan", "EnterPlanMode": "plan"}
_AGENT_TOOLS = ("Agent", "Task")
_BYPASS = "bypassPermissions"
_ASKING = {
    "permission_prompt": "permission",
    "worker_permission_prompt": "permission",
    "elicitation_dialog": "mcp",
    "agent_needs_input": "",
}
"""Types of notifications that ask for the user, with the reason of the wait."""


def begin_tool(state: State, event: Event, at: float) -> None:
    """PreToolUse: a tool begins."""
    thread = edit_thread(state, event, at)
    mark_begin(thread, "step", event, at)
    if event.get("tool_use_id") or event.get("tool"):
        record = edit_tool(thread, event)
        record["began"] = min(record["began"] or at, at) if event.get("tool_use_id") else max(record["began"], at)
    drop_ended_tools(thread)
    if event.get("tool") in _QUESTIONS:
        _request_tool(state, event, at)
    if event.get("tool") in _AGENT_TOOLS and event.get("tool_use_id"):
        launches = copy_part(state, "launches")
        launches[event["tool_use_id"]] = {
            "at": min(launches.get(event["tool_use_id"], {}).get("at", at), at),
            "parent": event.get("agent_id", ""),
            "type": event.get("subagent_type", ""),
            "name": event.get("teammate", ""),
            "description": event.get("description", ""),
        }
        drop_oldest(launches, KEEP_LIST, "at")


def _count_tool(state: State, event: Event, at: float) -> None:
    counted = copy_part(state, "counted")
    key = event.get("tool_use_id") or f"{event['tool']}@{at!r}"
    if key not in counted:
        used = copy_part(state, "tools_used")
        used[event["tool"]] = used.get(event["tool"], 0) + 1
        drop_oldest(used, KEEP_NAMES, "")
    counted[key] = min(counted.get(key, at), at)
    drop_oldest(counted, KEEP_COUNTED, "")


def end_tool(state: State, event: Event, at: float) -> None:
    """PostToolUse, PostToolUseFailure: a tool ended; records files, launched agents and errors."""
    if event.get("tool"):
        _count_tool(state, event, at)
    thread = edit_thread(state, event, at)
    _end_call(thread, event, at)
    if event.get("is_interrupt"):
        mark_end(thread, "interrupted", "", at)
    drop_ended_tools(thread)
    if event.get("error"):
        describe_failure = {"at": at, "kind": event.get("tool", ""), "message": event["error"]}
        describe_failure |= {"agent_id": event.get("agent_id", ""), "id": event.get("tool_use_id", "")}
        add_to_list(state, "errors", describe_failure, ("id", "message"))
    if event.get("file"):
        touched = "read" if event.get("tool") == "Read" else "new" if event.get("created") else "edited"
        files = copy_part(copy_part(state, "files"), touched)
        move_forward(files, event["file"], at)
        drop_oldest(files, KEEP_FILES, "")
    if event.get("shell"):
        shells = copy_part(state, "shells")
        shells[event["shell"]] = max(shells.get(event["shell"], 0), at)
        drop_oldest(shells, KEEP_LIST, "")
    if event.get("child"):
        child = edit_agent(state, event["child"], known=False, at=at)
        set_greatest(child, "description", event.get("description"))
        set_greatest(child, "parent", event.get("agent_id"))
        set_greatest(child, "model", event.get("child_model"))
        set_greatest(child, "name", event.get("teammate"))
        set_greatest(child, "tool_use_id", event.get("tool_use_id"))
        set_greatest(child, "kind", "teammate" if event.get("child_status") == "teammate_spawned" else None)


def deny_tool(state: State, event: Event, at: float) -> None:
    """PermissionDenied: a tool was refused."""
    thread = edit_thread(state, event, at)
    _end_call(thread, event, at)
    drop_ended_tools(thread)


def _end_call(thread: State, event: Event, at: float) -> None:
    """Notes the end of a call, and the event that ended it: the first one, or the newest where the call has no id."""
    if not event.get("tool_use_id") and not event.get("tool"):
        return
    record, end = edit_tool(thread, event), (at, event["event"])
    known = (record["ended"], record.get("ended_by", ""))
    pick = min if event.get("tool_use_id") else max
    record["ended"], record["ended_by"] = pick(known, end) if record["ended"] else end


def end_step(state: State, event: Event, at: float) -> None:
    """PostToolBatch: every tool of the step has ended, also one whose own hook started a moment later."""
    thread = edit_thread(state, event, at)
    if at >= thread["batch"]:
        earlier = thread.get("batch_ids", ()) if at == thread["batch"] else ()
        thread["batch_ids"] = sorted({*earlier, *event.get("tool_use_ids", ())})[:KEEP_TOOLS]
    move_forward(thread, "batch", at)
    drop_ended_tools(thread)


def _request_tool(state: State, event: Event, at: float) -> None:
    """Adds the request of a tool, keyed by thread, tool and input. In bypassPermissions mode only questions and plans wait."""
    tool = event.get("tool", "")
    reason = _QUESTIONS.get(tool, "permission")
    if event["event"] == "PermissionRequest":
        set_newest(state, "requests_seen", True, at)
        if reason == "permission" and event.get("permission_mode") == _BYPASS:
            return
    _add_request(state, f"{event.get('agent_id', '')}|{tool}|{event.get('hash', '')}", reason, event, at)


def _add_request(state: State, key: str, reason: str, event: Event, at: float) -> None:
    requests = copy_part(state, "requests")
    request = {
        "at": at,
        "agent_id": event.get("agent_id", ""),
        "reason": reason,
        "tool": event.get("tool", ""),
        "hash": event.get("hash", ""),
        "summary": event.get("summary") or event.get("message") or "",
        "server": event.get("server", ""),
        "event": event["event"],
        "pid": str(event.get("pid", "")),
    }
    old = requests.get(key)
    times = {*old["times"], at} if old else {at}
    rank = (at, request["summary"], request["event"])
    newest = request if old is None or rank > (old["at"], old["summary"], old.get("event", "")) else old
    requests[key] = {**newest, "times": sorted(times)[-6:]}
    drop_oldest(requests, KEEP_REQUESTS, "at")


def request_permission(state: State, event: Event, at: float) -> None:
    """PermissionRequest: a tool needs a permission."""
    edit_thread(state, event, at)
    _request_tool(state, event, at)


def request_input(state: State, event: Event, at: float) -> None:
    """Elicitation: an MCP server asks a person for input."""
    set_newest(state, "elicitations_seen", True, at)
    key = f"{event.get('agent_id', '')}|mcp|{event.get('server', '')}|{event.get('message', '')}"
    _add_request(state, key, "mcp", event, at)


def receive_input(state: State, event: Event, at: float) -> None:
    """ElicitationResult: the MCP server has got its input."""
    elicited = copy_part(state, "elicited")
    move_forward(elicited, event.get("server", ""), at)
    drop_oldest(elicited, KEEP_LIST, "")


def record_answer(state: State, event: Event, at: float) -> None:
    """Answered: a person answered this request in atm-tui."""
    answer = {key: event.get(key, "") for key in ("key", "agent_id", "tool", "decision", "by", "after")}
    state.setdefault("answers", [])
    add_to_list(state, "answers", {"at": at, **answer}, ("key", "after"))


def record_notification(state: State, event: Event, at: float) -> None:
    """Notification: the only sign from older clients that a person is asked."""
    kind, message = event.get("notification_type", ""), event.get("message", "")
    add_to_list(state, "notifications", {"at": at, "type": kind, "message": message}, ("at", "type", "message"))
    if kind == "idle_prompt" and not event.get("agent_id"):
        move_forward(copy_part(state, "main"), "idle", at)
    elif kind in _ASKING:
        tool = message.rpartition(" to use ")[2].rstrip(".") if " to use " in message else ""
        _add_request(
            state,
            f"notification|{kind}",
            _ASKING[kind],
            {"event": event["event"], "pid": event.get("pid", ""), "message": message, "tool": tool},
            at,
        )
