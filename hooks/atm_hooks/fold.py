"""fold(state, event) -> state: the one place that decides what an event means. Pure.

Events can arrive late, twice or out of order (hooks run side by side), so nothing here depends on arrival. Single values
keep the event with the newest `at`; tools, agents and requests are kept by the ids that payloads carry; and what a person
wants to know (is the turn over, what is waited for) is derived from these by settle.py. Every list is bounded.
"""

from atm_hooks.codec import Object as Event
from atm_hooks.codec import Object as State
from atm_hooks.parts import KEEP_LIST, insert, later, note, own, prune, put, tell
from atm_hooks.settle import EMPTY, settle

SCHEMA = 1
"""Of the state file. A file of another schema is folded anew from the journal."""
KEEP_TOOLS = 32
"""Tools of one thread that are neither followed by a PostToolBatch nor by the end of the turn."""
KEEP_COUNTED = 200
"""Ids of the tools that were counted last: what comes twice is counted once."""
KEEP_AGENTS = 64
KEEP_OVER = 40
"""Agents that are over, of these."""
KEEP_REQUESTS = 50
KEEP_FILES = 30
"""Of each kind; and of tasks."""
KEEP_NAMES = 200
"""Tools that are counted by name."""
KEEP_TURNS = 20
KEEP_PROCESSES = 8

_QUESTIONS = {"AskUserQuestion": "question", "ExitPlanMode": "plan", "EnterPlanMode": "plan"}
_AGENT_TOOLS = ("Agent", "Task")
_BYPASS = "bypassPermissions"
_ASKING = {
    "permission_prompt": "permission",
    "worker_permission_prompt": "permission",
    "elicitation_dialog": "mcp",
    "agent_needs_input": "",
}


def fold(state: State | None, event: Event) -> State:
    """The state after one more event; neither argument is changed.

    `state` is None before the first event. An event of an unknown kind is kept by name, and what it carries of identity
    (cwd, model, pid) counts; nothing else changes.
    """
    return settle(apply(state, event))


def fold_all(state: State | None, events: list[Event]) -> State | None:
    """The same as fold for each in turn, in less time."""
    for event in events:
        state = apply(state, event)
    return settle(state) if state is not None else None


def fold_possible(events: list[Event]) -> State | None:
    """fold_all from the beginning, without those events (of another version, or damaged) that can't be folded."""
    state: State | None = None
    for event in events:
        try:
            state = apply(state, event)
        except (LookupError, TypeError, ValueError, AttributeError):
            continue
    return settle(state) if state is not None else None


def apply(state: State | None, event: Event) -> State:
    """The facts after one more event; what follows from them is stale until `settle`. Neither argument is changed."""
    at, kind = event["at"], event["event"]
    state = dict(state) if state else _new(event)
    state["created_at"] = min(state["created_at"] or at, at)
    if kind != "Sample":
        state["heard_at"] = max(state["heard_at"], at)
        put(state, "last_event", kind, at)
    _identity(state, event, at)
    _process(state, event, at)
    handler = _HANDLERS.get(kind)
    if handler:
        handler(state, event, at)
    elif kind not in _SILENT:
        note(state, "other_events", kind, at)
    for field in event.get("other_fields", ()):
        note(state, "other_fields", field, at)
    return state


def _new(event: Event) -> State:
    return {
        "schema": SCHEMA,
        "session_id": event["session_id"],
        "created_at": 0,
        "heard_at": 0,
        "stamps": {},
        "processes": {},
        "main": _thread(),
        "agents": {},
        "strays": {},
        "launches": {},
        "shells": {},
        "requests": {},
        "counted": {},
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
    """The main thread or an agent: when it began, did a step and ended, newest of each; and the tools of its last step."""
    return dict(EMPTY)


# --- who and where


def _identity(state: State, event: Event, at: float) -> None:
    for key in ("cwd", "project_dir", "transcript_path", "version", "entrypoint", "title"):
        put(state, key, event.get(key), at)
    if not event.get("agent_id"):  # an agent can have its own model, mode and effort
        for key in ("permission_mode", "effort", "model"):
            put(state, key, event.get(key), at)
    if "/projects/" in event.get("transcript_path", ""):
        put(state, "config_dir", event["transcript_path"].rpartition("/projects/")[0], at)


def _process(state: State, event: Event, at: float) -> None:
    processes = own(state, "processes")
    key = str(event.get("pid", ""))
    record = processes[key] = dict(processes.get(key) or {"first": at, "last": at, "began": 0, "ended": 0, "gone": 0})
    record["first"], record["last"] = min(record["first"], at), max(record["last"], at)
    if event.get("pid_start"):
        record["start"] = max(record.get("start", ""), event["pid_start"])
    if event.get("terminal") and (at, repr(event["terminal"])) > (
        record.get("terminal_at", 0),
        repr(record.get("terminal")),
    ):
        record["terminal"], record["terminal_at"] = event["terminal"], at
    if event["event"] == "SessionEnd":
        if (at, event.get("reason", "other")) > (record["ended"], record.get("reason", "")):
            record["ended"], record["reason"] = at, event.get("reason", "other")
    elif event["event"] in ("SessionStart", "UserPromptSubmit"):
        later(record, "began", at)
    for other in event.get("gone_pids", ()):
        if str(other) in processes:
            processes[str(other)] = {**processes[str(other)], "gone": max(processes[str(other)]["gone"], at)}
    prune(processes, KEEP_PROCESSES, "last")


# --- threads, agents, tools


def _agent(state: State, agent: str, known: bool, at: float) -> State:
    """An agent's record, to be written. What is said of one that was never seen to live is kept among the strays."""
    agents, strays = own(state, "agents"), own(state, "strays")
    record: State = {**EMPTY, "first": at, "last": at, **(agents.get(agent) or strays.get(agent) or {})}
    record["first"], record["last"] = min(record["first"], at), max(record["last"], at)
    if record.pop("guessed", False):
        del record["description"], record["parent"]
    if known or agent in agents:
        strays.pop(agent, None)
        agents[agent] = record
    else:
        strays[agent] = record
    if len(agents) > KEEP_OVER:
        _drop_agents(agents)
    prune(strays, KEEP_LIST, "last")
    return record


def _drop_agents(agents: State) -> None:
    """Drops the oldest of those that are over, and of all."""
    over = [
        key for key, each in agents.items() if each.get("ended", 0) > max(each.get("began", 0), each.get("step", 0))
    ]
    over.sort(key=lambda key: (agents[key]["last"], key))
    for key in over[: max(0, len(over) - KEEP_OVER)]:
        del agents[key]
    prune(agents, KEEP_AGENTS, "last")


def _thread_of(state: State, event: Event, at: float, known: bool = True) -> State:
    """The thread that an event belongs to, to be written: the agent that it names, or the main one."""
    agent = event.get("agent_id")
    if not agent:
        return own(state, "main")
    record = _agent(state, agent, known, at)
    tell(record, "type", event.get("agent_type"))
    return record


def _begins(thread: State, key: str, event: Event, at: float) -> None:
    """A sign that the thread works from here on, and in which process."""
    if at >= max(thread["began"], thread["step"]):
        thread["pid"] = str(event.get("pid", ""))
    later(thread, key, at)


def _tool(thread: State, event: Event) -> State:
    tools = own(thread, "tools")
    key = event.get("tool_use_id") or f"{event.get('tool', '')} {event.get('summary', '')}"
    record = tools[key] = dict(tools.get(key) or {"began": 0, "ended": 0, "last": 0})
    if event["event"] == "PreToolUse" or "tool" not in record:
        record["tool"], record["summary"] = event.get("tool", ""), event.get("summary", "")
    if event.get("hash"):
        record["hash"] = event["hash"]
    later(record, "last", event["at"])
    return record


def _tidy(thread: State) -> None:
    """Drops the tools of steps that are over; late news of one says nothing any more."""
    over = max(thread["batch"], thread["ended"])
    if any(tool["last"] <= over for tool in thread["tools"].values()):
        thread["tools"] = {key: tool for key, tool in thread["tools"].items() if tool["last"] > over}
    if len(thread["tools"]) > KEEP_TOOLS:
        prune(own(thread, "tools"), KEEP_TOOLS, "last")


def _pre_tool(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at)
    _begins(thread, "step", event, at)
    record = _tool(thread, event)
    record["began"] = min(record["began"] or at, at) if event.get("tool_use_id") else max(record["began"], at)
    _tidy(thread)
    if event.get("tool") in _QUESTIONS:
        _request(state, event, at)
    if event.get("tool") in _AGENT_TOOLS and event.get("tool_use_id"):
        launches = own(state, "launches")
        launches[event["tool_use_id"]] = {
            "at": min(launches.get(event["tool_use_id"], {}).get("at", at), at),
            "parent": event.get("agent_id", ""),
            "type": event.get("subagent_type", ""),
            "name": event.get("teammate", ""),
            "description": event.get("description", ""),
        }
        prune(launches, KEEP_LIST, "at")


def _count(state: State, event: Event, at: float) -> None:
    counted = own(state, "counted")
    key = event.get("tool_use_id") or f"{event['tool']}@{at!r}"
    if key not in counted:
        used = own(state, "tools_used")
        used[event["tool"]] = used.get(event["tool"], 0) + 1
        prune(used, KEEP_NAMES, "")
    counted[key] = min(counted.get(key, at), at)
    prune(counted, KEEP_COUNTED, "")


def _post_tool(state: State, event: Event, at: float) -> None:
    if event.get("tool"):
        _count(state, event, at)
    thread = _thread_of(state, event, at)
    record = _tool(thread, event)
    record["ended"] = min(record["ended"] or at, at) if event.get("tool_use_id") else max(record["ended"], at)
    if event.get("is_interrupt"):
        _end_thread(thread, "interrupted", "", at)
    _tidy(thread)
    if event.get("error"):
        describe_failure = {"at": at, "kind": event.get("tool", ""), "message": event["error"]}
        describe_failure |= {"agent_id": event.get("agent_id", ""), "id": event.get("tool_use_id", "")}
        insert(state, "errors", describe_failure, ("id", "message"))
    if event.get("file"):
        touched = "read" if event.get("tool") == "Read" else "new" if event.get("created") else "edited"
        files = own(own(state, "files"), touched)
        later(files, event["file"], at)
        prune(files, KEEP_FILES, "")
    if event.get("shell"):
        shells = own(state, "shells")
        shells[event["shell"]] = max(shells.get(event["shell"], 0), at)
        prune(shells, KEEP_LIST, "")
    if event.get("child"):
        child = _agent(state, event["child"], known=False, at=at)
        tell(child, "description", event.get("description"))
        tell(child, "parent", event.get("agent_id"))
        tell(child, "model", event.get("child_model"))
        tell(child, "name", event.get("teammate"))
        tell(child, "tool_use_id", event.get("tool_use_id"))
        tell(child, "kind", "teammate" if event.get("child_status") == "teammate_spawned" else None)


def _denied(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at)
    record = _tool(thread, event)
    record["ended"] = min(record["ended"] or at, at)
    _tidy(thread)


def _batch(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at)
    later(thread, "batch", at)
    _tidy(thread)


def _subagent_start(state: State, event: Event, at: float) -> None:
    if event.get("agent_id"):
        _begins(_thread_of(state, event, at), "began", event, at)


def _end_thread(thread: State, outcome: str, error: str, at: float) -> None:
    newest = max((at, outcome, error), (thread["ended"], thread["outcome"], thread["error"]))
    thread["ended"], thread["outcome"], thread["error"] = newest
    # an end that is told again and again stays where it was first told: first and last of them are kept
    ends = sorted({*thread["ends"], at})
    thread["ends"] = ends if len(ends) <= 6 else [ends[0], *ends[-5:]]


def _stop(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at, known=False)
    _end_thread(thread, "finished", "", at)
    _reply(state, thread, event, at)
    _tidy(thread)
    if event.get("agent_id") or "background_tasks" not in event:
        return
    tasks = event["background_tasks"]
    put(state, "background", {"at": at, "tasks": tasks, "crons": event.get("crons", 0)}, at)
    for task in tasks:
        if task.get("type") == "subagent" and task.get("status", "running") == "running":
            record = _agent(state, task["id"], known=True, at=at)
            tell(record, "type", task.get("agent_type"))
            tell(record, "description", task.get("description"))
            later(record, "listed", at)


def _stop_failure(state: State, event: Event, at: float) -> None:
    thread = _thread_of(state, event, at, known=False)
    _end_thread(thread, "failed", event.get("error", ""), at)
    _reply(state, thread, event, at)
    _tidy(thread)
    if not event.get("agent_id") or event.get("agent_type"):  # the client's own helpers fail without a type
        describe_failure = {"at": at, "kind": event.get("error", ""), "message": event.get("reply", "")}
        describe_failure |= {"agent_id": event.get("agent_id", ""), "id": event.get("prompt_id", "")}
        insert(state, "errors", describe_failure, ("id", "kind", "message", "agent_id"))


def _reply(state: State, thread: State, event: Event, at: float) -> None:
    if not event.get("agent_id"):
        put(state, "last_reply", event.get("reply"), at)
    elif event.get("reply") and (at, event["reply"]) > (thread.get("reply_at", 0), thread.get("last_reply", "")):
        thread["reply_at"], thread["last_reply"] = at, event["reply"]


def _teammate_idle(state: State, event: Event, at: float) -> None:
    if event.get("agent_id"):
        record = _thread_of(state, event, at)
        tell(record, "kind", "teammate")
        tell(record, "name", event.get("teammate"))
        later(record, "idle", at)


# --- prompts, waits, notifications


def _prompt(state: State, event: Event, at: float) -> None:
    main = own(state, "main")
    _begins(main, "began", event, at)
    if event.get("prompt_kind") == "stopped":
        later(main, "killed", at)
    elif event.get("prompt_kind") == "notification":
        if event.get("child"):
            record, status = _agent(state, event["child"], known=False, at=at), event.get("child_status", "")
            if (at, status) > (record.get("notified", 0), record.get("notified_status", "")):
                record["notified"], record["notified_status"] = at, status
    else:
        later(main, "prompted", at)
        key = event.get("prompt_id") or repr(at)
        turns = own(state, "turn_ids")
        state["turns"] += key not in turns
        turns[key] = min(turns.get(key, at), at)
        prune(turns, KEEP_TURNS, "")
        insert(state, "prompts", {"at": at, "id": key, "text": event.get("prompt", "")}, ("id", "text"))


def _request(state: State, event: Event, at: float) -> None:
    """A request for a person's answer, by thread, tool and input. In bypassPermissions mode only questions wait."""
    tool = event.get("tool", "")
    reason = _QUESTIONS.get(tool, "permission")
    if event["event"] == "PermissionRequest":
        put(state, "requests_seen", True, at)
        if reason == "permission" and event.get("permission_mode") == _BYPASS:
            return
    _ask(state, f"{event.get('agent_id', '')}|{tool}|{event.get('hash', '')}", reason, event, at)


def _ask(state: State, key: str, reason: str, event: Event, at: float) -> None:
    requests = own(state, "requests")
    told = {
        "at": at,
        "agent_id": event.get("agent_id", ""),
        "reason": reason,
        "tool": event.get("tool", ""),
        "hash": event.get("hash", ""),
        "summary": event.get("summary") or event.get("message") or "",
        "server": event.get("server", ""),
    }
    old = requests.get(key)
    times = {*old["times"], at} if old else {at}
    newest = told if old is None or (at, told["summary"]) > (old["at"], old["summary"]) else old
    requests[key] = {**newest, "times": sorted(times)[-6:]}
    prune(requests, KEEP_REQUESTS, "at")


def _permission_request(state: State, event: Event, at: float) -> None:
    _thread_of(state, event, at)
    _request(state, event, at)


def _elicitation(state: State, event: Event, at: float) -> None:
    put(state, "elicitations_seen", True, at)
    key = f"{event.get('agent_id', '')}|mcp|{event.get('server', '')}|{event.get('message', '')}"
    _ask(state, key, "mcp", event, at)


def _elicited(state: State, event: Event, at: float) -> None:
    elicited = own(state, "elicited")
    later(elicited, event.get("server", ""), at)
    prune(elicited, KEEP_LIST, "")


def _answered(state: State, event: Event, at: float) -> None:
    """A person answered this request in atm-tui."""
    told = {key: event.get(key, "") for key in ("key", "agent_id", "tool", "decision", "by", "after")}
    state.setdefault("answers", [])
    insert(state, "answers", {"at": at, **told}, ("key", "after"))


def _notification(state: State, event: Event, at: float) -> None:
    kind, message = event.get("notification_type", ""), event.get("message", "")
    insert(state, "notifications", {"at": at, "type": kind, "message": message}, ("at", "type", "message"))
    if kind == "idle_prompt":
        later(own(state, "main"), "idle", at)
    elif kind in _ASKING:
        tool = message.rpartition(" to use ")[2].rstrip(".") if " to use " in message else ""
        _ask(state, f"notification|{kind}", _ASKING[kind], {"message": message, "tool": tool}, at)


# --- the session


def _session_start(state: State, event: Event, at: float) -> None:
    if event.get("source", "startup") == "compact":
        put(state, "compact_ended", at, at)
    else:
        fresh = {"at": at, "pid": event.get("pid", 0), "source": event.get("source", "startup")}
        put(state, "fresh", fresh, at)


def _milestone(state: State, event: Event, at: float) -> None:
    key = {"PreCompact": "compact_began", "PostCompact": "compact_ended", "Setup": "setup_at"}[event["event"]]
    put(state, key, at, at)


def _task(state: State, event: Event, at: float) -> None:
    tasks = own(state, "tasks")
    key = event.get("task_id") or event.get("subject", "")
    record = tasks[key] = dict(tasks.get(key) or {"subject": "", "at": at, "done": 0})
    tell(record, "subject", event.get("subject"))
    record["at"] = min(record["at"], at)
    if event["event"] == "TaskCompleted":
        later(record, "done", at)
    prune(tasks, KEEP_FILES, "at")


def _sample(state: State, event: Event, at: float) -> None:
    put(state, "metrics", {"at": at, **event.get("metrics", {})}, at)


_HANDLERS = {
    "SessionStart": _session_start,
    "Setup": _milestone,
    "UserPromptSubmit": _prompt,
    "PreToolUse": _pre_tool,
    "PostToolUse": _post_tool,
    "PostToolUseFailure": _post_tool,
    "PostToolBatch": _batch,
    "PermissionRequest": _permission_request,
    "PermissionDenied": _denied,
    "Answered": _answered,
    "Notification": _notification,
    "SubagentStart": _subagent_start,
    "SubagentStop": _stop,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "TeammateIdle": _teammate_idle,
    "TaskCreated": _task,
    "TaskCompleted": _task,
    "PreCompact": _milestone,
    "PostCompact": _milestone,
    "Elicitation": _elicitation,
    "ElicitationResult": _elicited,
    "Sample": _sample,
}
_SILENT = frozenset(("SessionEnd", "CwdChanged", "PostModelSwitch", "PreModelSwitch"))
