"""fold(state, event) -> state: the one place that decides what an event means. Pure.

Events can arrive late, twice or out of order (hooks run side by side), so nothing here depends on arrival. Single values keep the
event with the newest `at`; tools, agents and requests are kept by the ids that payloads carry; and what a person wants to know
(is the turn over, what is waited for) is derived from these at the end of every fold, in settle.py.
"""

from atm_hooks.settle import settle

SCHEMA = 1
"""Of the state file. A file of another schema is folded anew from the journal."""
KEEP_TOOLS = 128
KEEP_AGENTS = 100
KEEP_REQUESTS = 50
KEEP_LIST = 50
KEEP_PROCESSES = 8

_QUESTIONS = {"AskUserQuestion": "question", "ExitPlanMode": "plan", "EnterPlanMode": "plan"}
_RESTARTS = ("startup", "resume", "clear", "fork")

State = dict[str, object]
Event = dict[str, object]


def fold(state: State | None, event: Event) -> State:
    """The state after one more event; neither argument is changed.

    `state` is None before the first event. An event of an unknown kind is kept by name, and what it carries of identity (cwd,
    model, pid) counts; nothing else changes.
    """
    at = event["at"]
    state = dict(state) if state else _new(event)
    for key in ("created_at", "updated_at"):
        if event["event"] != "Sample" or not state[key]:
            state[key] = (min if key == "created_at" else max)(state[key] or at, at)
    _identity(state, event, at)
    _process(state, event, at)
    handler = _HANDLERS.get(event["event"])
    if handler:
        handler(state, event, at)
    elif event["event"] not in _SILENT:
        _note(state, "other_events", event["event"], at)
    for field in event.get("other_fields", ()):
        _note(state, "other_fields", field, at)
    if event["event"] != "Sample":
        _put(state, "last_event", event["event"], at)
    return settle(state)


def _new(event: Event) -> State:
    return {
        "schema": SCHEMA,
        "session_id": event["session_id"],
        "created_at": 0,
        "updated_at": 0,
        "stamps": {},
        "processes": {},
        "main": _thread(),
        "agents": {},
        "strays": {},
        "launches": {},
        "requests": {},
        "turns": 0,
        "turn_ids": {},
        "prompts": [],
        "notifications": [],
        "errors": [],
        "tools_used": {},
        "files": {"new": {}, "edited": {}, "read": {}},
        "tasks": {},
    }


def _thread() -> State:
    """The main thread or an agent: when it last began and ended, and its tools by id."""
    return {"began": 0, "ended": 0, "outcome": "", "error": "", "batch": 0, "tools": {}}


# --- containers: copied before they are written, so that the old state stays as it was


def _own(holder: State, key: str) -> State:
    holder[key] = dict(holder[key])
    return holder[key]


def _put(state: State, key: str, value: object, at: float) -> None:
    """Sets a value unless a newer event has set it; equal times are decided by the value, so that order does not matter."""
    if value is None or value == "":
        return
    stamp = state["stamps"].get(key, 0)
    if at > stamp or (at == stamp and repr(value) > repr(state.get(key))):
        _own(state, "stamps")[key] = at
        state[key] = value


def _later(record: State, key: str, at: float) -> None:
    if at > record[key]:
        record[key] = at


def _prune(items: State, keep: int, age: object) -> None:
    if len(items) > keep:
        for key in sorted(items, key=lambda key: (age(items[key]), key))[: len(items) - keep]:
            del items[key]


def _insert(state: State, key: str, item: State, same: tuple[str, ...]) -> bool:
    """Adds to a list that is ordered by time and bounded; False when an equal item (in the named fields) is there."""
    for old in state[key]:
        if all(old.get(field) == item.get(field) for field in same):
            if item["at"] < old["at"]:
                state[key] = [dict(each, at=item["at"]) if each is old else each for each in state[key]]
                state[key].sort(key=lambda each: (each["at"], repr(each)))
            return False
    state[key] = sorted([*state[key], item], key=lambda each: (each["at"], repr(each)))[-KEEP_LIST:]
    return True


def _note(state: State, key: str, name: str, at: float) -> None:
    state[key] = dict(state.get(key) or {})
    state[key][name] = min(state[key].get(name, at), at)
    _prune(state[key], KEEP_LIST, lambda first: -first)


# --- who and where


def _identity(state: State, event: Event, at: float) -> None:
    for key in ("cwd", "project_dir", "transcript_path", "version", "entrypoint", "title"):
        _put(state, key, event.get(key), at)
    if not event.get("agent_id"):  # an agent can have its own model, mode and effort
        for key in ("permission_mode", "effort", "model"):
            _put(state, key, event.get(key), at)
    if "transcript_path" in event and "/projects/" in event["transcript_path"]:
        _put(state, "config_dir", event["transcript_path"].rpartition("/projects/")[0], at)


def _process(state: State, event: Event, at: float) -> None:
    key = str(event.get("pid", ""))
    processes = _own(state, "processes")
    record = processes[key] = dict(processes.get(key) or {"first": at, "last": at, "began": 0, "ended": 0})
    record["first"], record["last"] = min(record["first"], at), max(record["last"], at)
    if event.get("pid_start"):
        record["start"] = event["pid_start"]
    if event.get("terminal") and at >= record.get("terminal_at", 0):
        record["terminal"], record["terminal_at"] = event["terminal"], at
    if event["event"] == "SessionEnd":
        if at >= record["ended"]:
            record["ended"], record["reason"] = at, event.get("reason", "other")
    elif event["event"] in ("SessionStart", "UserPromptSubmit"):
        _later(record, "began", at)
    _prune(processes, KEEP_PROCESSES, lambda each: each["last"])


# --- threads, agents, tools


def _agent(state: State, agent: str, known: bool) -> State:
    """The record of an agent, to be written. What is said of an agent that was never seen to start is kept among the strays."""
    agents, strays = _own(state, "agents"), _own(state, "strays")
    record = dict(agents.get(agent) or strays.get(agent) or {**_thread(), "notified": 0, "idle": 0, "stamps": {}})
    record["stamps"] = dict(record["stamps"])
    if known or agent in agents:
        strays.pop(agent, None)
        agents[agent] = record
    else:
        strays[agent] = record
    _prune(agents, KEEP_AGENTS, lambda each: max(each["began"], each["ended"]))
    _prune(strays, KEEP_LIST, lambda each: max(each["began"], each["ended"], each["notified"]))
    return record


def _thread_of(state: State, event: Event, at: float, known: bool = True) -> State:
    """The thread that an event belongs to, to be written: the agent that it names, or the main one."""
    agent = event.get("agent_id")
    if not agent:
        return _own(state, "main")
    record = _agent(state, agent, known and bool(event.get("agent_type")))
    if event.get("agent_type"):
        _put(record, "type", event["agent_type"], at)
    return record


def _tool(thread: State, event: Event) -> State:
    tools = _own(thread, "tools")
    key = event.get("tool_use_id") or f"{event.get('tool', '')}@{event['at']}"
    record = tools[key] = dict(tools.get(key) or {"began": 0, "ended": 0})
    if event["event"] == "PreToolUse" or "tool" not in record:
        record["tool"], record["summary"] = event.get("tool", ""), event.get("summary", "")
    if event.get("hash") and "hash" not in record:
        record["hash"] = event["hash"]
    _prune(tools, KEEP_TOOLS, lambda each: max(each["began"], each["ended"]))
    return record


def _pre_tool(state: State, event: Event, at: float) -> None:
    record = _tool(_thread_of(state, event, at), event)
    record["began"] = min(record["began"] or at, at)
    if event.get("tool") in _QUESTIONS:
        _request(state, event, at)
    if event.get("tool") in ("Agent", "Task"):
        launches = _own(state, "launches")
        launches[event.get("tool_use_id", "")] = {
            "at": at,
            "parent": event.get("agent_id", ""),
            "type": event.get("subagent_type", ""),
            "description": event.get("description", ""),
        }
        _prune(launches, KEEP_LIST, lambda each: each["at"])


def _post_tool(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at)
    record = _tool(thread, event)
    if not record["ended"] and event.get("tool"):
        used = _own(state, "tools_used")
        used[event["tool"]] = used.get(event["tool"], 0) + 1
    record["ended"] = min(record["ended"] or at, at)
    if event.get("error"):
        failure = {
            "at": at,
            "kind": event.get("tool", ""),
            "message": event["error"],
            "agent_id": event.get("agent_id", ""),
        }
        _insert(state, "errors", {**failure, "id": event.get("tool_use_id", "")}, ("id", "message"))
    if event.get("is_interrupt") and at > thread["ended"]:
        thread["ended"], thread["outcome"], thread["error"] = at, "interrupted", ""
    if event.get("file"):
        touched = "read" if event["tool"] == "Read" else "new" if event.get("created") else "edited"
        files = _own(_own(state, "files"), touched)
        files[event["file"]] = max(files.get(event["file"], 0), at)
        _prune(files, KEEP_LIST, lambda stamp: stamp)
    if event.get("child"):
        child = _agent(state, event["child"], known=False)
        for key, value in (
            ("description", event.get("description")),
            ("parent", event.get("agent_id")),
            ("model", event.get("child_model")),
            ("name", event.get("teammate")),
            ("tool_use_id", event.get("tool_use_id")),
            ("type", event.get("subagent_type")),
            ("kind", "teammate" if event.get("child_status") == "teammate_spawned" else None),
        ):
            _put(child, key, value, at)


def _denied(state: State, event: Event, at: float) -> None:
    record = _tool(_thread_of(state, event, at), event)
    record["denied"] = record["ended"] = min(record["ended"] or at, at)


def _batch(state: State, event: Event, at: float) -> None:
    _later(_thread_of(state, event, at), "batch", at)


def _subagent_start(state: State, event: Event, at: float) -> None:
    _later(_thread_of(state, event, at), "began", at)


def _end_thread(thread: State, event: Event, at: float, outcome: str) -> None:
    if at > thread["ended"] or (at == thread["ended"] and outcome > thread["outcome"]):
        thread["ended"], thread["outcome"], thread["error"] = at, outcome, event.get("error", "")


def _stop(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at, known=False)
    _end_thread(thread, event, at, "finished")
    _put(state if not event.get("agent_id") else thread, "last_reply", event.get("reply"), at)
    if not event.get("agent_id") and "background_tasks" in event:
        _put(state, "background", {"at": at, "tasks": event["background_tasks"], "crons": event.get("crons", 0)}, at)


def _stop_failure(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at, known=False)
    _end_thread(thread, event, at, "failed")
    failure = {
        "at": at,
        "kind": event.get("error", ""),
        "message": event.get("reply", ""),
        "agent_id": event.get("agent_id", ""),
    }
    if not event.get("agent_id") or event["agent_id"] in state["agents"]:
        _insert(state, "errors", {**failure, "id": event.get("prompt_id", "")}, ("id", "kind", "message", "agent_id"))
    _put(state if not event.get("agent_id") else thread, "last_reply", event.get("reply"), at)


def _teammate_idle(state: State, event: Event, at: float) -> None:
    if event.get("agent_id"):
        record = _agent(state, event["agent_id"], known=True)
        _put(record, "kind", "teammate", at)
        _put(record, "name", event.get("teammate"), at)
        _later(record, "idle", at)


# --- prompts, waits, notifications


def _prompt(state: State, event: Event, at: float) -> None:
    main = _own(state, "main")
    _later(main, "began", at)
    if event.get("prompt_kind") == "notification" and event.get("child"):
        record = _agent(state, event["child"], known=False)
        if at > record["notified"]:
            record["notified"], record["notified_status"] = at, event.get("child_status", "")
        return
    if event.get("prompt_kind") != "human":
        return
    main["prompted"] = max(main.get("prompted", 0), at)
    key = event.get("prompt_id") or repr(at)
    if key not in state["turn_ids"]:
        state["turns"] += 1
    turns = _own(state, "turn_ids")
    turns[key] = min(turns.get(key, at), at)
    _prune(turns, KEEP_TOOLS, lambda first: first)
    _insert(state, "prompts", {"at": at, "id": key, "text": event.get("prompt", "")}, ("id",))


def _request(state: State, event: Event, at: float) -> None:
    """A request for a person's answer, by thread, tool and input. In bypassPermissions mode only questions wait."""
    tool = event.get("tool", "")
    reason = _QUESTIONS.get(tool, "permission")
    if event["event"] == "PermissionRequest":
        _put(state, "requests_seen", True, at)
        if reason == "permission" and event.get("permission_mode") == "bypassPermissions":
            return
    _ask(state, f"{event.get('agent_id', '')}|{tool}|{event.get('hash', '')}", reason, event, at)


def _ask(state: State, key: str, reason: str, event: Event, at: float) -> None:
    requests = _own(state, "requests")
    record = dict(requests.get(key) or {"at": 0, "first": at})
    if at > record["at"]:
        record.update(
            at=at,
            agent_id=event.get("agent_id", ""),
            reason=reason,
            tool=event.get("tool", ""),
            hash=event.get("hash", ""),
            summary=event.get("summary") or event.get("message") or "",
            server=event.get("server", ""),
        )
    record["times"] = sorted({*record.get("times", ()), at})[-6:]
    requests[key] = record
    _prune(requests, KEEP_REQUESTS, lambda each: each["at"])


def _permission_request(state: State, event: Event, at: float) -> None:
    _thread_of(state, event, at)
    _request(state, event, at)


def _elicitation(state: State, event: Event, at: float) -> None:
    _put(state, "elicitations_seen", True, at)
    _ask(
        state, f"{event.get('agent_id', '')}|mcp|{event.get('server', '')}|{event.get('message', '')}", "mcp", event, at
    )


def _elicited(state: State, event: Event, at: float) -> None:
    state["elicited"] = dict(state.get("elicited") or {})
    server = event.get("server", "")
    state["elicited"][server] = max(state["elicited"].get(server, 0), at)
    _prune(state["elicited"], KEEP_LIST, lambda stamp: stamp)


def _notification(state: State, event: Event, at: float) -> None:
    kind = event.get("notification_type", "")
    message = event.get("message", "")
    _insert(state, "notifications", {"at": at, "type": kind, "message": message}, ("at", "type", "message"))
    if kind == "idle_prompt":
        main = _own(state, "main")
        main["idle"] = max(main.get("idle", 0), at)
    elif kind in ("permission_prompt", "elicitation_dialog", "agent_needs_input", "worker_permission_prompt"):
        reason = {
            "permission_prompt": "permission",
            "worker_permission_prompt": "permission",
            "elicitation_dialog": "mcp",
        }.get(kind, "")
        tool = message.rpartition(" to use ")[2] if " to use " in message else ""
        _ask(state, f"notification|{kind}", reason, {"message": message, "tool": tool}, at)


# --- the session


def _session_start(state: State, event: Event, at: float) -> None:
    if event.get("source", "startup") == "compact":
        _compacted(state, event, at)
        return
    _put(state, "fresh", {"at": at, "pid": event.get("pid", 0), "source": event.get("source", "startup")}, at)


def _compacting(state: State, event: Event, at: float) -> None:
    _put(state, "compact_began", at, at)


def _compacted(state: State, event: Event, at: float) -> None:
    _put(state, "compact_ended", at, at)


def _setup(state: State, event: Event, at: float) -> None:
    _put(state, "setup_at", at, at)


def _task(state: State, event: Event, at: float) -> None:
    tasks = _own(state, "tasks")
    key = event.get("task_id") or event.get("subject", "")
    record = tasks[key] = dict(tasks.get(key) or {"subject": "", "at": at, "done": 0})
    record["subject"], record["at"] = event.get("subject", "") or record["subject"], min(record["at"], at)
    if event["event"] == "TaskCompleted":
        record["done"] = max(record["done"], at)
    _prune(tasks, KEEP_LIST, lambda each: each["at"])


def _sample(state: State, event: Event, at: float) -> None:
    _put(state, "metrics", {"at": at, **event.get("metrics", {})}, at)


_HANDLERS = {
    "SessionStart": _session_start,
    "Setup": _setup,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _pre_tool,
    "PostToolUse": _post_tool,
    "PostToolUseFailure": _post_tool,
    "PostToolBatch": _batch,
    "PermissionRequest": _permission_request,
    "PermissionDenied": _denied,
    "Notification": _notification,
    "SubagentStart": _subagent_start,
    "SubagentStop": _stop,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "TeammateIdle": _teammate_idle,
    "TaskCreated": _task,
    "TaskCompleted": _task,
    "PreCompact": _compacting,
    "PostCompact": _compacted,
    "Elicitation": _elicitation,
    "ElicitationResult": _elicited,
    "Sample": _sample,
}
_SILENT = frozenset(("SessionEnd", "CwdChanged", "PostModelSwitch", "PreModelSwitch"))
