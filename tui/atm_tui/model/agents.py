"""The subagents and teammates of a session: from hooks, filled in from their own transcripts."""

import msgspec

from atm_tui.model.activity import Activity, ActivityKind, make_wait_activity
from atm_tui.model.facts import HookAgent, HookState
from atm_tui.model.session import OVER, Agent, AgentState, Context, Cost
from atm_tui.model.transcript import AgentFacts
from atm_tui.model.wait import Wait


def list_agents(
    hooks: HookState | None,
    transcripts: tuple[AgentFacts, ...],
    waits: tuple[Wait, ...],
    over_at: float | None,
    contexts: dict[str, Context],
    costs: dict[str, Cost],
) -> tuple[Agent, ...]:
    """Returns all agents in the order in which they started.

    `over_at`: when the client reported that no agent works; those that work by the hooks were stopped then. `waits`: the open
    ones; an agent whose wait was settled elsewhere works again.
    """
    if not transcripts and not (hooks and hooks.agents):
        return ()
    by_id = {facts.agent_id: facts for facts in transcripts}
    known = hooks.agents if hooks else {}
    # no event reports an answer: a tool whose wait is over counts as running
    allowed = {
        wait.agent_id: Activity(kind=ActivityKind.TOOL, tool=wait.tool, what=wait.summary)
        for wait in (hooks.waits if hooks else ())
    }
    agents = [_resolve_agent(key, agent, by_id.get(key), waits, allowed, over_at) for key, agent in known.items()]
    if hooks is None:
        agents += [_resolve_unhooked_agent(facts, over_at) for facts in transcripts]
    agents = [_fill_from_transcript(agent, by_id.get(agent.agent_id), contexts, costs) for agent in agents]
    return tuple(sorted(agents, key=lambda agent: (agent.started_at or agent.since, agent.agent_id)))


_THINKING = Activity(kind=ActivityKind.THINKING)
_STATES = {state.value: state for state in AgentState}


def _read_state(word: str) -> AgentState:
    return _STATES.get(word, AgentState.WORKING)


def _resolve_agent(
    key: str,
    agent: HookAgent,
    facts: AgentFacts | None,
    waits: tuple[Wait, ...],
    allowed: dict[str, Activity],
    over_at: float | None,
) -> Agent:
    state, activity, since, ended = _read_state(agent.state), agent.activity, agent.since, agent.ended_at
    mine = [wait for wait in waits if wait.agent_id == key]
    if mine:
        state, activity, since = AgentState.NEEDS_YOU, make_wait_activity(mine[:1]), mine[0].since
    elif state is AgentState.NEEDS_YOU:
        state, activity = AgentState.WORKING, allowed.get(key, _THINKING)
    if over_at is not None and state not in OVER and agent.kind != "teammate":
        state, activity, since, ended = AgentState.STOPPED, Activity(), over_at, over_at
    elif over_at is not None and state in (AgentState.WORKING, AgentState.NEEDS_YOU):
        state, activity, since = AgentState.IDLE, Activity(), over_at
    if facts and facts.stopped and state is AgentState.WORKING and (facts.last_at or 0) >= agent.since:
        state, activity, since, ended = AgentState.STOPPED, Activity(), facts.last_at or since, facts.last_at
    return Agent(
        agent_id=key,
        name=agent.name or agent.type,
        kind=agent.kind,
        type=agent.type,
        description=agent.description,
        parent=agent.parent or None,
        state=state,
        activity=activity,
        since=since,
        started_at=agent.started_at,
        ended_at=ended,
        model=agent.model,
        last_reply=agent.last_reply,
    )


def _resolve_unhooked_agent(facts: AgentFacts, over_at: float | None) -> Agent:
    if facts.failed:
        state = AgentState.FAILED
    elif facts.stopped or (over_at is not None and not facts.finished):
        state = AgentState.STOPPED
    elif facts.kind == "teammate":
        state = AgentState.IDLE
    else:
        state = AgentState.DONE if facts.finished else AgentState.WORKING
    return Agent(
        agent_id=facts.agent_id,
        name=facts.name or facts.type,
        kind=facts.kind,
        type=facts.type,
        state=state,
        activity=_THINKING if state is AgentState.WORKING else Activity(),
        since=facts.last_at or facts.started_at or 0.0,
        started_at=facts.started_at,
        ended_at=facts.last_at if state in OVER else None,
    )


def _fill_from_transcript(
    agent: Agent, facts: AgentFacts | None, contexts: dict[str, Context], costs: dict[str, Cost]
) -> Agent:
    if facts is None:
        return agent
    return msgspec.structs.replace(
        agent,
        type=agent.type or facts.type,
        color=agent.color or facts.color,
        name=agent.name or facts.name or facts.type,
        description=agent.description or facts.description,
        parent=agent.parent or facts.parent,
        model=facts.model or agent.model,
        tokens=facts.tokens,
        context=contexts.get(agent.agent_id, agent.context),
        cost=costs.get(agent.agent_id, agent.cost),
    )
