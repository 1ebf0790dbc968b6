"""What follows from the facts of a state file: is the turn over, which agents work, what is waited for. Pure.

Derived at the end of every fold, so that readers need no rules of their own: `activity`, `waits`, each agent's `state`, `detail` and
`since`, `session_active`, `ended`, `pid` and `terminal`.
"""

State = dict[str, object]

_ENDED_BY = {"completed": "done", "failed": "failed", "killed": "stopped"}
_OUTCOMES = {"finished": "done", "failed": "failed", "interrupted": "stopped"}


def settle(state: State) -> State:
    """The same state with its derived fields made anew; the argument is a state of its own (see fold)."""
    _processes(state)
    agents = _agents(state)
    state["agents"] = agents
    state["activity"] = _activity(state)
    state["waits"] = _waits(state)
    for wait in state["waits"]:
        agent = agents.get(wait["agent_id"])
        if agent and agent["state"] in ("working", "idle"):
            agent["state"], agent["detail"], agent["since"] = (
                "needs_you",
                f"{wait['reason']} {wait['tool']}".strip(),
                wait["since"],
            )
    return state


def _processes(state: State) -> None:
    """The session ends when every process that served it has said goodbye after it last began."""
    processes = state["processes"]
    gone = [each for each in processes.values() if each["ended"] and each["ended"] >= each["began"]]
    named = [key for key in processes if key]
    alive = [key for key, each in processes.items() if each not in gone and (key or not named)]
    state["session_active"] = bool(alive) or not gone
    last = max(gone, key=lambda each: each["ended"], default=None)
    state["ended"] = (
        {"at": last["ended"], "reason": last.get("reason", "other")} if last and not state["session_active"] else None
    )
    serving = max(alive or named or [""], key=lambda key: (processes.get(key, {}).get("last", 0), key))
    state["pid"] = int(serving) if serving else None
    state["pid_start"] = processes.get(serving, {}).get("start")
    newest = max(
        (each for each in processes.values() if "terminal" in each), key=lambda each: each["terminal_at"], default={}
    )
    state["terminal"] = processes.get(serving, {}).get("terminal") or newest.get("terminal") or {}


def _boundary(state: State) -> float:
    """When the client last began this session anew, or left it: what ran before that runs no more.

    A start in another process than the one that the turn runs in (one session opened twice) says nothing of that turn.
    """
    fresh = state.get("fresh") or {"at": 0, "pid": 0}
    running = _running_pid(state, fresh["at"])
    at = fresh["at"] if not fresh["pid"] or running in ("", str(fresh["pid"])) else 0
    return max(at, state["ended"]["at"] if state["ended"] else 0)


def _running_pid(state: State, before: float) -> str:
    """The process in which the newest turn before `before` began; "" when it ended or is not known."""
    turns = [
        (each["began"], key)
        for key, each in state["processes"].items()
        if key and each["began"] < before and not each["ended"]
    ]
    return max(turns)[1] if turns and state["main"]["began"] else ""


# --- threads


def _began(thread: State) -> float:
    return max([thread["began"], *(tool["began"] for tool in thread["tools"].values())])


def _open_tool(thread: State, after: float) -> tuple[str, State] | None:
    after = max(after, thread["batch"], thread["ended"])
    tools = [(key, tool) for key, tool in thread["tools"].items() if not tool["ended"] and tool["began"] > after]
    return max(tools, key=lambda item: (item[1]["began"], item[0]), default=None)


def _doing(thread: State, after: float) -> State:
    """Tool or thinking, of a thread that runs."""
    running = _open_tool(thread, after)
    if running:
        key, tool = running
        return {
            "kind": "tool",
            "tool": tool["tool"],
            "summary": tool["summary"],
            "tool_use_id": key,
            "since": tool["began"],
        }
    steps = [thread["began"], thread["batch"], *(tool["ended"] for tool in thread["tools"].values())]
    return {"kind": "thinking", "since": max(steps)}


def _activity(state: State) -> State:
    """What the main thread does: {kind, since} with kind setup | compacting | tool | thinking | new | finished | failed | interrupted."""
    main, boundary = state["main"], _boundary(state)
    began, ended = _began(main), max(main["ended"], boundary)
    setup = state.get("setup_at") or 0
    if setup and setup >= max(state["updated_at"], began, ended):
        return {"kind": "setup", "since": setup}
    compacting = state.get("compact_began") or 0
    if compacting > max(state.get("compact_ended") or 0, began, ended, main["batch"]):
        return {"kind": "compacting", "since": compacting}
    idle = main.get("idle", 0)
    if began > max(ended, idle):
        return {**_doing(main, boundary), "began": began}
    if idle > began > ended:
        return {"kind": "interrupted", "since": idle}
    if state["ended"] and began > main["ended"] and began > (state.get("fresh") or {"at": 0})["at"]:
        return {"kind": "interrupted", "since": state["ended"]["at"]}
    if (state.get("fresh") or {"at": 0})["at"] > max(main["ended"], began) or not max(main["ended"], began):
        return {"kind": "new", "since": (state.get("fresh") or {"at": state["created_at"]})["at"]}
    settled = {
        "kind": main["outcome"] or "finished",
        "since": max(main["ended"], state.get("compact_ended") or 0) or ended,
    }
    return {**settled, "error": main["error"]} if main["error"] else settled


# --- agents


def _agents(state: State) -> State:
    agents = {key: dict(agent) for key, agent in state["agents"].items()}
    background = state.get("background") or {"at": 0, "tasks": []}
    listed = {task["id"] for task in background["tasks"]}
    boundary = _boundary(state)
    for key, agent in agents.items():
        agent.setdefault("parent", "")
        agent["started_at"] = min(
            [each for each in (agent["began"], _first_tool(agent)) if each], default=agent["ended"]
        )
        agent["state"], agent["since"] = _agent_state(agent, boundary)
        if agent["state"] == "working" and background["at"] > _began(agent) and not _listed(key, agents, listed):
            agent["state"], agent["since"] = "stopped", background["at"]
    _describe(agents, state["launches"])
    for key in sorted(agents, key=lambda each: -_depth(each, agents)):
        agent = agents[key]
        children = [each for each in agents.values() if each["parent"] == key and each["state"] == "working"]
        agent["detail"] = ""
        if agent["state"] in ("done", "idle") and children:
            agent["state"], agent["since"] = "working", min(child["since"] for child in children)
            agent["detail"] = f"{len(children)} agent{'s' if len(children) > 1 else ''}"
        elif agent["state"] == "working":
            doing = _doing(agent, boundary)
            agent["since"] = doing["since"]
            agent["detail"] = f"{doing['tool']} {doing['summary']}".strip() if doing["kind"] == "tool" else "thinking"
        agent["ended_at"] = agent["since"] if agent["state"] in ("done", "failed", "stopped") else None
    return agents


def _first_tool(agent: State) -> float:
    return min((tool["began"] for tool in agent["tools"].values() if tool["began"]), default=0)


def _agent_state(agent: State, boundary: float) -> tuple[str, float]:
    began, ended = _began(agent), max(agent["ended"], agent["notified"], agent["idle"])
    if began > max(ended, boundary):
        return "working", began
    if agent.get("kind") == "teammate" and ended >= boundary and agent["outcome"] != "failed":
        return "idle", ended
    if ended <= began or (agent.get("kind") == "teammate" and ended < boundary):
        return "stopped", boundary
    if agent["notified"] > max(agent["ended"], agent["idle"]) and _OUTCOMES.get(agent["outcome"]) != "failed":
        return _ENDED_BY.get(agent.get("notified_status", ""), "done"), max(agent["ended"], 0) or agent["notified"]
    return _OUTCOMES.get(agent["outcome"], "done"), agent["ended"] or ended


def _listed(key: str, agents: State, listed: set[str]) -> bool:
    """Whether an agent, or one that it came from, is among the background tasks; teammates stand there under other ids."""
    for _ in range(20):
        agent = agents.get(key)
        if agent is None:
            return False
        if key in listed or agent.get("kind") == "teammate":
            return True
        key = agent["parent"]
    return False


def _depth(key: str, agents: State) -> int:
    depth = 0
    while key in agents and depth < 20:
        key, depth = agents[key]["parent"], depth + 1
    return depth


def _describe(agents: State, launches: State) -> None:
    """Gives agents whose launch has not returned yet its description and parent: by type, in the order of their starts."""
    claimed = {agent.get("tool_use_id") for agent in agents.values()}
    free = sorted(
        (item for item in launches.items() if item[0] not in claimed), key=lambda item: (item[1]["at"], item[0])
    )
    for agent in sorted(agents.values(), key=lambda each: each["started_at"]):
        if "description" in agent:
            continue
        for item in free:
            launch = item[1]
            if launch["type"] == agent.get("type") and launch["at"] <= agent["started_at"]:
                agent["description"], agent["parent"] = launch["description"], agent["parent"] or launch["parent"]
                free.remove(item)
                break


# --- waits


def _waits(state: State) -> list[State]:
    """Open requests, oldest first."""
    boundary, waits = _boundary(state), []
    for key, request in state["requests"].items():
        agent_id = request["agent_id"]
        thread = state["agents"].get(agent_id) if agent_id else state["main"]
        if thread is None or (key.startswith("notification|") and _told_better(state, key)):
            continue
        closed = max(boundary, _closed_at(state, thread, request, agent_id))
        asked = [at for at in request["times"] if at > closed]
        if asked:
            wait = {field: request[field] for field in ("agent_id", "reason", "tool", "summary", "hash")}
            waits.append({"key": key, "since": asked[0], **wait})
    return sorted(waits, key=lambda wait: (wait["since"], wait["key"]))


def _told_better(state: State, key: str) -> bool:
    """A notification says less than the request that it is about; clients that send requests need none."""
    if key == "notification|elicitation_dialog":
        return bool(state.get("elicitations_seen"))
    return bool(state.get("requests_seen")) and key != "notification|agent_needs_input"


def _closed_at(state: State, thread: State, request: State, agent_id: str) -> float:
    """The newest evidence that this request is settled: its tool went on, the step or the turn is over, a person typed."""
    marks = [thread["batch"], thread["ended"], thread.get("notified", 0), 0 if agent_id else thread.get("idle", 0)]
    if not agent_id:
        marks.append(thread.get("prompted", 0))
    if request["reason"] == "mcp":
        marks.append((state.get("elicited") or {}).get(request["server"], 0))
    for tool in thread["tools"].values():
        same = tool.get("hash") == request["hash"] if "hash" in tool else tool["summary"] == request["summary"]
        if tool["ended"] and tool["tool"] == request["tool"] and same:
            marks.append(tool["ended"])
    if request["reason"] in ("mcp", "") or not request["hash"]:  # what names no tool is over when any tool goes on
        marks += [max(tool["began"], tool["ended"]) for tool in thread["tools"].values()]
    if agent_id and thread["state"] in ("done", "failed", "stopped"):
        marks.append(thread["since"])
    return max(marks)
