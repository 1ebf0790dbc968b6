"""Derives of each agent its state, activity and times from the facts. Pure. Loaded only where a session has agents."""

from atm_hooks.codec import Object as State
from atm_hooks.threads import EMPTY, find_begin, find_boundary, find_work
from atm_hooks.turns import find_start

_ENDED_BY = {"completed": "done", "failed": "failed", "killed": "stopped"}
_OUTCOMES = {"finished": "done", "failed": "failed", "interrupted": "stopped"}
_DEEPEST = 20
"""Number of parents that are followed upwards from an agent."""


def derive_agents(state: State, before: State | None, fresh: State, events: State) -> tuple[State, set[str]]:
    """Returns the agents, sorted by their start, with their derived fields, and the ids of those that were derived anew.

    The others are those of `before`. Adds to `events`, by the id of an agent that works, the event that tells so.
    """
    changed = _find_changed(state, before, fresh)
    derived = [key for key in state["agents"] if key in changed]
    agents: State = {key: {**EMPTY, **agent} if key in changed else agent for key, agent in state["agents"].items()}
    boundaries = {pid: find_boundary(state, {"pid": pid}, fresh) for pid in {agents[key]["pid"] for key in changed}}
    background = state.get("background") or {"at": 0, "tasks": ()}
    listed = {task["id"] for task in background["tasks"]}
    killed = state["main"].get("killed", 0)
    for key in derived:
        agent = agents[key]
        if agent.pop("guessed", False):
            del agent["description"], agent["parent"]
        agent.setdefault("parent", "")
        agent["started_at"] = agent["first"]
        agent["state"], agent["since"] = _derive_agent_state(agent, boundaries[agent["pid"]], killed)
    _match_launches(state, agents)
    for key in derived:
        agent = agents[key]
        if agent["state"] != "working" or max(_find_last_work(agent), agent.get("listed", 0)) >= background["at"]:
            continue
        if not background.get("partial") and not _is_listed(key, agents, listed):
            agent["state"], agent["since"] = "stopped", background["at"]
    _derive_agent_activities(agents, derived, boundaries, events)
    if before is not None:
        told = before["decided_by"]["agents"] if len(changed) < len(agents) else {}
        events.update({key: told[key] for key in agents if key in told and key not in changed})
    order = sorted(agents, key=lambda key: (agents[key]["started_at"], key))
    return {key: agents[key] for key in order}, changed


def _find_changed(state: State, before: State | None, fresh: State) -> set[str]:
    """Returns the ids of the agents whose derived fields can differ from those in `before`.

    All, unless nothing has changed that can change an agent without an event of its own.
    """
    agents: State = state["agents"]
    if before is None:
        return set(agents)
    try:
        causes = _list_causes(before, find_start(before))
        asking = {each["agent_id"] for each in (*before["waits"], *state["requests"].values())}
        launches = (*before["launches"].values(), *state["launches"].values())
        old, _ = before["agents"], before["decided_by"]["agents"]
    except (LookupError, TypeError, AttributeError):  # it is damaged
        return set(agents)
    if causes != _list_causes(state, fresh) or any(
        each["parent"] for each in (*agents.values(), *launches) if "parent" in each
    ):
        return set(agents)
    return {
        key
        for key, agent in agents.items()
        if agent is not old.get(key)
        or key in asking
        or "guessed" in agent
        or (launches and "description" not in agent)
        or not ("started_at" in agent and "parent" in agent)  # it is damaged
    }


def _list_causes(state: State, fresh: State) -> tuple[object, ...]:
    """Returns what the derived fields of all agents follow from."""
    left = {key: (each["ended"], each["gone"]) for key, each in state["processes"].items()}
    return left, state["ended"], fresh, state["main"].get("killed", 0), state.get("background")


def _find_last_work(agent: State) -> float:
    """Returns when an agent last showed that it works: a start, a step, a listing in Stop, else its first event."""
    return find_begin(agent) or float(agent.get("listed", 0) or agent["first"])


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
    return float(max(thread.get("batch", 0), thread.get("ended", 0)))


def _derive_agent_activities(agents: State, derived: list[str], boundaries: dict[str, float], events: State) -> None:
    """Sets what each of these agents does, deepest agents first: one that only waits for its own agents still works."""
    working: dict[str, int] = {}
    nested = any(agent["parent"] for agent in agents.values())
    for key in sorted(derived, key=lambda each: -_measure_depth(each, agents)) if nested else derived:
        agent = agents[key]
        agent["activity"], own = {}, working.get(key, 0)
        agent.pop("detail", None)  # a text, as an older version wrote it
        if agent["state"] in ("done", "idle") and own:
            agent["state"], agent["activity"] = "working", {"kind": "agents", "count": own}
        elif agent["state"] == "working":
            doing, events[key] = find_work(agent, boundaries[agent["pid"]])
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
