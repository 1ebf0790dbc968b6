"""Derives from a state's facts whether the turn is over, which agents work, and what waits for a person. Pure.

Derived at the end of every fold, so that readers need no rules of their own: `activity`, `waits`, `decided_by`,
`tool_before_prompt`, `turns`, `session_active`, `ended`, `pid`, `pid_start`, `terminal`, `updated_at`, and of each agent
`state`, `activity`, `since`, `started_at` and `ended_at`. What is derived is never read back, so the order of events can't
matter. Only what was derived of an agent before is kept, where nothing has changed that it follows from.
"""

from atm_hooks.codec import Object as State
from atm_hooks.threads import EMPTY, find_begin, find_boundary, find_tool, find_work
from atm_hooks.turns import find_newest_begin, find_queued_turns, find_start, find_turn_begin

_ENDING_EVENTS = {"finished": "Stop", "failed": "StopFailure", "interrupted": "PostToolUseFailure"}
"""By outcome of a turn, the event that reports it."""


def derive(state: State, before: State | None = None) -> State:
    """Computes the derived fields of a state again and returns it. Changes its argument, which must be a copy (see fold).

    `before`: the derived state that it was made of; it saves work, and changes no result.
    """
    state["updated_at"] = state["heard_at"] or state["created_at"]
    state["turns"] = state["begun_turns"] + len(find_queued_turns(state))
    _derive_processes(state)
    fresh = find_start(state)
    events: State = {"activity": "", "waits": {}, "agents": {}, "pid": ""}
    agents: State = {}
    changed: set[str] = set()
    if state["agents"] or state["launches"]:
        from atm_hooks.derive_agents import derive_agents  # many sessions have none

        agents, changed = derive_agents(state, before, fresh, events["agents"])
    state["agents"] = agents
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
    for name in changed:
        agent = agents[name]
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


# --- the main thread


def _find_tool_before_prompt(state: State, fresh: State) -> State | None:
    """Returns the tool that ran when the newest prompt came. It still runs if the prompt was queued, of which no event tells where
    prompts have no id; and it has ended if Esc came first.
    """
    main = state["main"]
    if state["activity"]["kind"] != "thinking":
        return None
    began = find_turn_begin(state)
    tool = find_tool(main, find_boundary(state, main, fresh))
    return {**tool, "prompted": began} if tool and tool["since"] < began else None


def _derive_activity(state: State, fresh: State) -> tuple[State, str]:
    """Returns what the main thread does, {"kind", "since", …} with "began" while a turn runs, and the event that tells so.

    A person's prompt ends all tools, for no event tells of Esc; one that is queued in the running turn ends none.

    kind: setup | compacting | tool | thinking | new | finished | failed | interrupted.
    """
    main: State = state["main"]
    boundary, began, idle = find_boundary(state, main, fresh), find_begin(main), main.get("idle", 0)
    over = max(main["ended"], boundary)
    setup, compacting = state.get("setup_at") or 0, state.get("compact_began") or 0
    if setup and setup >= max(state["updated_at"], began, over):
        return {"kind": "setup", "since": setup}, "Setup"
    if compacting > max(state.get("compact_ended") or 0, began, over, main["batch"]):
        return {"kind": "compacting", "since": compacting}, "PreCompact"
    if began > max(over, idle):
        prompted = find_turn_begin(state)
        doing, event = find_work(main, max(boundary, prompted))
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
    """Returns the event that interrupted a turn at this time."""
    if at == state["main"].get("idle", 0):
        return "Notification"
    return "SessionStart" if at == fresh["at"] else "SessionEnd"


# --- waits


def _drop_settled(state: State) -> State:
    """Removes the requests that an event has ended."""
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
        closed = find_boundary(state, agent or state["main"], fresh)
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
