"""Derives from a state's facts whether the turn is over, which agents work, and what waits for a person. Pure.

Derived at the end of every fold, so that readers need no rules of their own: `activity`, `waits`, `decided_by`,
`tool_before_prompt`, `turns`, `session_active`, `ended`, `pid`, `pid_start`, `terminal`, `updated_at`, and of each agent
`state`, `activity`, `since`, `started_at` and `ended_at`. What is derived is never read back, so the order of events can't matter.
"""

from atm_hooks.codec import Object as State
from atm_hooks.turns import find_newest_begin, find_queued_turns, find_start, find_turn_begin

EMPTY: State = {
    "began": 0, "step": 0, "batch": 0, "ended": 0, "ends": (), "outcome": "", "error": "", "pid": "", "tools": {},
}  # fmt: skip
"""A thread without any event. Agents, of which there can be many, are stored without the keys that have these values."""
_ENDED_BY = {"completed": "done", "failed": "failed", "killed": "stopped"}
_OUTCOMES = {"finished": "done", "failed": "failed", "interrupted": "stopped"}
_ENDING_EVENTS = {"finished": "Stop", "failed": "StopFailure", "interrupted": "PostToolUseFailure"}
"""By how a turn ended, the event that tells so."""
_DEEPEST = 20
"""Number of parents that are followed upwards from an agent."""


def derive(state: State) -> State:
    """Computes the derived fields of a state again and returns it. Changes its argument, which must be a copy (see fold)."""
    state["updated_at"] = state["heard_at"] or state["created_at"]
    state["turns"] = state["begun_turns"] + len(find_queued_turns(state))
    _derive_processes(state)
    fresh = find_start(state)
    events: State = {"activity": "", "waits": {}, "agents": {}, "pid": ""}
    state["agents"] = agents = _derive_agents(state, fresh, events["agents"])
    state["activity"], events["activity"] = _derive_activity(state, fresh)
    state["tool_before_prompt"] = _find_tool_before_prompt(state, fresh)
    state["requests"] = _drop_settled(state)
    state["waits"] = _derive_waits(state, fresh)
    events["waits"] = {wait["key"]: state["requests"][wait["key"]].get("event", "") for wait in state["waits"]}
    asking = state["requests"][state["waits"][0]["key"]] if state["waits"] else state["main"]
    events["pid"] = asking.get("pid", "")
    state["decided_by"] = events
    for wait in state["waits"]:
        agent = agents.get(wait["agent_id"])
        if agent and agent["state"] in ("working", "idle"):
            agent["state"], agent["since"] = "needs_you", wait["since"]
            agent["activity"] = {"kind": wait["reason"] or "dialog", "tool": wait["tool"], "summary": wait["summary"]}
    for agent in agents.values():
        for key, empty in EMPTY.items():
            if agent[key] == empty:
                del agent[key]
    return state


def _derive_processes(state: State) -> None:
    """Sets whether the session is active, and in which process.

    It has ended when every process has sent a SessionEnd after its last start.
    """
    processes: State = state["processes"]
    said = {key for key, each in processes.items() if each["ended"] and each["ended"] >= each["began"]}
    named = any(processes)
    alive = [key for key, each in processes.items() if key not in said and _is_alive(each) and (key or not named)]
    state["session_active"] = bool(alive) or not said
    last: State = max((processes[key] for key in said), key=lambda each: (each["ended"], each["reason"]), default={})
    state["ended"] = None if state["session_active"] else {"at": last["ended"], "reason": last["reason"]}
    serving = max(
        alive or [key for key in processes if key] or [""], key=lambda key: (_find_last_seen(processes, key), key)
    )
    state["pid"] = int(serving) if serving else None
    state["pid_start"] = processes.get(serving, {}).get("start")
    terminals = sorted(
        (each["terminal_at"], repr(each["terminal"]), key) for key, each in processes.items() if "terminal" in each
    )
    newest = processes[terminals[-1][2]]["terminal"] if terminals else {}
    # that of another process may be another pane
    state["terminal"] = processes[serving].get("terminal", {}) if serving else newest


def _is_alive(process: State) -> bool:
    return bool(process["gone"] < process["last"])


def _find_last_seen(processes: State, key: str) -> float:
    last: float = processes[key]["last"] if key in processes else 0
    return last


def _find_boundary(state: State, thread: State, fresh: State) -> float:
    """Returns when the client last started or left this session: what the thread did before that no longer runs.

    A start in another process (the session is opened twice) doesn't count while the thread's own process lives.
    """
    process = state["processes"].get(thread["pid"]) or {"ended": 0, "gone": 0}
    left = max(process["ended"], process["gone"], state["ended"]["at"] if state["ended"] else 0)
    same = not thread["pid"] or not fresh["pid"] or thread["pid"] == str(fresh["pid"])
    return float(max(left, fresh["at"] if same else 0))


# --- threads


def _find_begin(thread: State) -> float:
    return float(max(thread["began"], thread["step"]))


def _find_tool(thread: State, after: float) -> State | None:
    """Returns the newest of the tools of a thread that began after a time and still run; None without any."""
    after = max(after, thread["batch"], thread["ended"])
    tools: State = thread["tools"]
    running = [(each["began"], key) for key, each in tools.items() if each["began"] > after and _is_running(key, each)]
    if not running:
        return None
    since, key = max(running)
    activity = {"kind": "tool", "tool": tools[key]["tool"], "summary": tools[key]["summary"]}
    return {**activity, "tool_use_id": key, "since": since}


def _find_work(thread: State, after: float) -> tuple[State, str]:
    """Returns the activity of a running thread, a tool or else thinking, and the event that tells so."""
    tool = _find_tool(thread, after)
    if tool:
        return tool, "PreToolUse"
    begin = "SubagentStart" if "first" in thread else "UserPromptSubmit"
    signs = [
        (thread["began"], begin),
        (thread["step"], "PreToolUse"),
        *((each["ended"], each.get("ended_by", "PostToolUse")) for each in thread["tools"].values()),
        (thread["batch"], "PostToolBatch"),
    ]
    since, event = max(signs, key=lambda each: each[0])
    return {"kind": "thinking", "since": since}, event


def _find_tool_before_prompt(state: State, fresh: State) -> State | None:
    """Returns the tool that ran when the newest prompt came. It still runs if the prompt was queued, of which no event tells where
    prompts have no id; and it has ended if Esc came first.
    """
    main = state["main"]
    if state["activity"]["kind"] != "thinking":
        return None
    began = find_turn_begin(state)
    tool = _find_tool(main, _find_boundary(state, main, fresh))
    return {**tool, "prompted": began} if tool and tool["since"] < began else None


def _is_running(key: str, tool: State) -> bool:
    """Whether a tool runs. One without an id (a blank is in its key) can begin again after its end."""
    return not tool["ended"] or (" " in key and bool(tool["began"] > tool["ended"]))


def _derive_activity(state: State, fresh: State) -> tuple[State, str]:
    """Returns what the main thread does, {"kind", "since", …} with "began" while a turn runs, and the event that tells so.

    A person's prompt ends all tools, for no event tells of Esc; one that is queued in the running turn ends none.

    kind: setup | compacting | tool | thinking | new | finished | failed | interrupted.
    """
    main: State = state["main"]
    boundary, began, idle = _find_boundary(state, main, fresh), _find_begin(main), main.get("idle", 0)
    over = max(main["ended"], boundary)
    setup, compacting = state.get("setup_at") or 0, state.get("compact_began") or 0
    if setup and setup >= max(state["updated_at"], began, over):
        return {"kind": "setup", "since": setup}, "Setup"
    if compacting > max(state.get("compact_ended") or 0, began, over, main["batch"]):
        return {"kind": "compacting", "since": compacting}, "PreCompact"
    if began > max(over, idle):
        prompted = find_turn_begin(state)
        doing, event = _find_work(main, max(boundary, prompted))
        begun = [at for at in (find_newest_begin(state), main["began"]) if at > max(over, idle)]
        return {**doing, "began": begun[0] if begun else doing["since"]}, event
    if fresh["at"] > max(main["ended"], began) or not max(main["ended"], began):
        return {"kind": "new", "since": fresh["at"] or state["created_at"]}, "SessionStart" if fresh["at"] else ""
    if began > main["ended"]:
        since = min(each for each in (idle, boundary) if each >= began)
        return {"kind": "interrupted", "since": since}, _name_break(state, fresh, since)
    since, compacted = main["ended"], state.get("compact_ended") or 0
    event = _ENDING_EVENTS.get(main["outcome"], "Stop")
    if compacted > since:
        since, event = compacted, "PostCompact"
    return {"kind": main["outcome"], "since": since, **({"error": main["error"]} if main["error"] else {})}, event


def _name_break(state: State, fresh: State, at: float) -> str:
    """The event at a time at which a turn was broken off."""
    if at == state["main"].get("idle", 0):
        return "Notification"
    return "SessionStart" if at == fresh["at"] else "SessionEnd"


# --- agents


def _derive_agents(state: State, fresh: State, events: State) -> State:
    """Sorts the agents by their start and sets their derived fields.

    Adds to `events`, by the id of an agent that works, the event that tells so.
    """
    agents: State = {key: {**EMPTY, **agent} for key, agent in state["agents"].items()}
    boundaries = {
        pid: _find_boundary(state, {"pid": pid}, fresh) for pid in {agent["pid"] for agent in agents.values()}
    }
    background = state.get("background") or {"at": 0, "tasks": ()}
    listed = {task["id"] for task in background["tasks"]}
    killed = state["main"].get("killed", 0)
    for agent in agents.values():
        if agent.pop("guessed", False):
            del agent["description"], agent["parent"]
        agent.setdefault("parent", "")
        agent["started_at"] = agent["first"]
        agent["state"], agent["since"] = _derive_agent_state(agent, boundaries[agent["pid"]], killed)
    _match_launches(state, agents)
    for key, agent in agents.items():
        if agent["state"] != "working" or max(_find_last_work(agent), agent.get("listed", 0)) >= background["at"]:
            continue
        if not background.get("partial") and not _is_listed(key, agents, listed):
            agent["state"], agent["since"] = "stopped", background["at"]
    _derive_agent_activities(agents, boundaries, events)
    order = sorted(agents, key=lambda key: (agents[key]["started_at"], key))
    return {key: agents[key] for key in order}


def _find_last_work(agent: State) -> float:
    """Returns when an agent last showed that it works: a start, a step, a listing in Stop, else its first event."""
    return _find_begin(agent) or float(agent.get("listed", 0) or agent["first"])


def _derive_agent_state(agent: State, boundary: float, killed: float) -> tuple[str, float]:
    began, teammate = _find_last_work(agent), agent.get("kind") == "teammate"
    notified, idle = agent.get("notified", 0), agent.get("idle", 0)
    ended = max(agent["ended"], notified, idle)
    first = min([end for end in (*agent["ends"], notified, idle) if end > began], default=ended)
    boundary = boundary if teammate else max(boundary, killed)
    if began > max(ended, boundary):
        return "working", began
    if teammate and (ended < boundary or ended <= began):
        return "stopped", boundary
    if teammate and agent["outcome"] != "failed":
        return "idle", first
    if ended <= began:
        return "stopped", boundary
    if notified > agent["ended"] and agent["outcome"] != "failed":
        return _ENDED_BY.get(agent.get("notified_status", ""), "done"), first
    return _OUTCOMES.get(agent["outcome"], "done"), first


def _is_listed(key: str, agents: State, listed: set[str]) -> bool:
    """Whether an agent or one of its parents is among the background tasks. True for teammates: they are listed by other ids."""
    for _ in range(_DEEPEST):
        agent = agents.get(key)
        if agent is None:
            return False
        if key in listed or agent.get("kind") == "teammate":
            return True
        key = agent["parent"]
    return False


def _match_launches(state: State, agents: State) -> None:
    """Matches agents with launches that have not returned yet, by type and order of start; sets description and parent.

    Drops launches that have returned, and those whose step has ended.
    """
    claimed = {agent.get("tool_use_id") for agent in (*agents.values(), *state["strays"].values())}
    threads = {"": state["main"], **agents}
    state["launches"] = {
        key: each
        for key, each in state["launches"].items()
        if key not in claimed
        and (each["parent"] not in threads or each["at"] > _find_step_end(threads[each["parent"]]))
    }
    free = sorted(state["launches"].values(), key=lambda each: (each["at"], repr(each)))
    for agent in sorted(agents.values(), key=lambda each: each["started_at"]) if free else ():
        if "description" in agent:
            continue
        for launch in free:
            if agent.get("type", "") in (launch["type"], launch["name"]) and launch["at"] <= agent["started_at"]:
                agent["description"], agent["parent"] = launch["description"], agent["parent"] or launch["parent"]
                agent["guessed"] = True
                free.remove(launch)
                break


def _find_step_end(thread: State) -> float:
    return float(max(thread["batch"], thread["ended"]))


def _derive_agent_activities(agents: State, boundaries: dict[str, float], events: State) -> None:
    """Sets what each agent does, deepest agents first: one that only waits for its own agents still works."""
    working: dict[str, int] = {}
    nested = any(agent["parent"] for agent in agents.values())
    for key in sorted(agents, key=lambda each: -_measure_depth(each, agents)) if nested else agents:
        agent = agents[key]
        agent["activity"], own = {}, working.get(key, 0)
        agent.pop("detail", None)  # a text, as an older version wrote it
        if agent["state"] in ("done", "idle") and own:
            agent["state"], agent["activity"] = "working", {"kind": "agents", "count": own}
        elif agent["state"] == "working":
            doing, events[key] = _find_work(agent, boundaries[agent["pid"]])
            agent["since"] = doing["since"] or agent["since"]
            agent["activity"] = {field: doing[field] for field in ("kind", "tool", "summary") if field in doing}
        if agent["state"] == "working":
            working[agent["parent"]] = working.get(agent["parent"], 0) + 1
        agent["ended_at"] = agent["since"] if agent["state"] in ("done", "failed", "stopped") else None


def _measure_depth(key: str, agents: State) -> int:
    depth = 0
    while key in agents and depth < _DEEPEST:
        key, depth = agents[key]["parent"], depth + 1
    return depth


# --- waits


def _drop_settled(state: State) -> State:
    """Removes the requests that an event has settled."""
    requests: State = {}
    for key, request in state["requests"].items():
        agent = request["agent_id"]
        thread = state["main"] if not agent else state["agents"].get(agent) or state["strays"].get(agent)
        closed = _find_settled_at(state, thread, request) if thread else 0
        closed = max(closed, *(each["at"] for each in state.get("answers", ()) if each["key"] == key), 0)
        times = [at for at in request["times"] if at > closed]
        if times:
            requests[key] = request if len(times) == len(request["times"]) else {**request, "times": times}
    return requests


def _derive_waits(state: State, fresh: State) -> list[State]:
    """Sets the open waits, oldest first."""
    waits = []
    for key, request in state["requests"].items():
        agent = state["agents"].get(request["agent_id"])
        if (request["agent_id"] and agent is None) or (key.startswith("notification|") and _is_repeated(state, key)):
            continue
        closed = _find_boundary(state, agent or state["main"], fresh)
        if agent and agent["state"] in ("done", "failed", "stopped"):
            closed = max(closed, agent["since"])
        asked = [at for at in request["times"] if at > closed]
        if asked:
            wait = {field: request[field] for field in ("agent_id", "reason", "tool", "summary", "hash")}
            waits.append({"key": key, "since": asked[0], **wait})
    return sorted(waits, key=lambda wait: (wait["since"], wait["key"]))


def _is_repeated(state: State, key: str) -> bool:
    """Whether a request comes from a notification, and this client also sends the request as an event of its own."""
    if key == "notification|elicitation_dialog":
        return bool(state.get("elicitations_seen"))
    return bool(state.get("requests_seen")) and key != "notification|agent_needs_input"


def _find_settled_at(state: State, thread: State, request: State) -> float:
    """Returns when a request was settled: its tool, its step or its turn ended, or a prompt was typed."""
    marks = [
        thread["batch"],
        thread["ended"],
        thread.get("notified", 0),
        thread.get("idle", 0),
        find_turn_begin(state) if thread is state["main"] else 0,
    ]
    if request["reason"] == "mcp":
        marks.append((state.get("elicited") or {}).get(request["server"], 0))
    for tool in thread["tools"].values():
        same = tool["hash"] == request["hash"] if "hash" in tool else tool["summary"] == request["summary"]
        if tool["tool"] and tool["tool"] == request["tool"] and same:
            marks.append(tool["ended"])
        if not request["hash"]:  # a request without an input is settled as soon as any tool runs
            marks += [tool["began"], tool["ended"]]
    return float(max(marks))
