"""Describes the fleet in words, for screen readers and logs: first a list, then a line for each change.

A line names first the session, then what happened. Nothing is drawn, and a line that was printed never changes.
"""

from collections.abc import Iterable, Mapping

from atm_tui.model.activity import ActivityKind
from atm_tui.model.fleet import Fleet, Health
from atm_tui.model.host import shorten_id
from atm_tui.model.session import OVER, Agent, AgentState, Liveness, Session, State, Unreadable
from atm_tui.model.wait import Wait
from atm_tui.text import clean, format_count, format_money
from atm_tui.view.status_text import describe_activity, describe_queue, describe_wait

Snapshot = tuple[Mapping[str, Session], tuple[Unreadable, ...], Health]
"""What changes are compared with: sessions by id, unreadable files, health."""


def take_snapshot(fleet: Fleet) -> Snapshot:
    """Copies the fleet as it is now; later updates don't change the copy."""
    return dict(fleet.sessions), fleet.unreadable, fleet.health


def write_first_lines(fleet: Fleet, now: float) -> list[str]:
    """Writes totals and notices, then a line for each session: those that need you first, longest wait first."""
    totals = fleet.compute_totals()
    sessions = list(fleet.sessions.values())
    counts = f"{_count_needing(totals.needs_you)}, {totals.working} working, {totals.idle} idle"
    lines = [f"atm-tui: {format_count(len(sessions), 'session')}, {counts}."]
    if not sessions:
        lines.append("No sessions yet. Start Claude Code in any terminal; it is announced here.")
    if fleet.older:
        lines.append(f"{format_count(fleet.older, 'older session')} more, over and not listed.")
    lines += [f"Notice: {clean(notice)}" for notice in fleet.health.notices]
    lines += map(_describe_unreadable, fleet.unreadable)
    for session in sorted(sessions, key=_rank_session):
        lines.append(
            f"{_describe_state(session)}{_format_since(session, now)}{_format_place(session)}{_format_figures(session)}"
        )
        lines += [f"  agent {line}" for line in _list_agents(session)]
    return lines


def write_changes(before: Snapshot, fleet: Fleet) -> list[str]:
    """Writes a line for each important change since `before`, most urgent first.

    Important are: a session that starts, ends, begins to need you, continues, finishes or fails; a further wait; an agent
    that begins to need you or fails; a new notice. Tools and figures are not announced.
    """
    old_sessions, old_unreadable, old_health = before
    urgent: list[str] = []
    lines: list[str] = []
    for key, session in fleet.sessions.items():
        changed = _describe_changes(old_sessions.get(key), session)
        (urgent if session.state is State.NEEDS_YOU else lines).extend(changed)
    lines += [
        f"{_name_session(old)} is gone from the list" for key, old in old_sessions.items() if key not in fleet.sessions
    ]
    known = {each.path for each in old_unreadable}
    lines += [_describe_unreadable(each) for each in fleet.unreadable if each.path not in known]
    lines += [f"Notice: {clean(each)}" for each in fleet.health.notices if each not in old_health.notices]
    return urgent + lines


def _describe_changes(old: Session | None, new: Session) -> list[str]:
    if old is None:
        return [f"new session: {_describe_state(new)}{_format_place(new)}"]
    lines = []
    if new.liveness is not old.liveness:
        back = new.liveness is Liveness.LIVE
        return (
            [f"{_describe_state(new)}{_format_place(new)}"]
            if not back
            else [f"{_name_session(new)} is back: {_describe_activity(new)}{_format_place(new)}"]
        )
    if new.name != old.name:
        lines.append(f"{_name_session(old)} is now called {_name_session(new)}")
    if new.problem and not old.problem:
        lines.append(f"{_name_session(new)} can't be read: {clean(new.problem)}")
    if new.liveness is not Liveness.LIVE:
        return lines
    if new.state is State.NEEDS_YOU:
        asked = {wait.key for wait in old.waits} if old.state is State.NEEDS_YOU else set()
        fresh = [wait for wait in new.waits if wait.key not in asked]
        lines += [
            f"{_name_session(new)} needs you: {describe_request(new, wait)}{_format_place(new)}" for wait in fresh
        ]
        if not new.waits and (old.state is not State.NEEDS_YOU or old.activity != new.activity or old.waits):
            lines.append(f"{_describe_state(new)}{_format_place(new)}")
    elif new.state is not old.state or (
        new.state is State.IDLE and (new.activity, new.since) != (old.activity, old.since)
    ):
        lines.append(f"{_describe_state(new)}{_format_place(new)}")
    return lines + _describe_agent_changes(old, new)


def _describe_agent_changes(old: Session, new: Session) -> list[str]:
    before = {agent.agent_id: agent.state for agent in old.agents}
    waiting = {wait.agent_id for wait in new.waits}
    lines = []
    for agent in new.agents:
        if agent.state is before.get(agent.agent_id):
            continue
        if agent.state is AgentState.FAILED:
            lines.append(f"{_name_session(new)}: agent {_name_agent(agent)} failed{_format_place(new)}")
        elif agent.state is AgentState.NEEDS_YOU and agent.agent_id not in waiting:
            lines.append(f"{_name_session(new)}: agent {_name_agent(agent)} needs you{_format_place(new)}")
    return lines


def describe_request(session: Session, wait: Wait) -> str:
    """Returns what a wait is for and who asks: "permission Bash npm run migrate, asked by agent Explore"."""
    asker = ""
    if wait.agent_id:
        agent = next((each for each in session.agents if each.agent_id == wait.agent_id), None)
        asker = f", asked by agent {_name_agent(agent) if agent else clean(wait.agent_id)[:8]}"
    return describe_wait(wait).spoken + asker


def _describe_state(session: Session) -> str:
    """Returns a sentence without its full stop: the session and its state."""
    if session.liveness is Liveness.LOST:
        return f"{_name_session(session)} is lost: its process is gone"
    if session.liveness is Liveness.ENDED:
        return f"{_name_session(session)} has ended"
    if session.state is State.NEEDS_YOU:
        what = [describe_request(session, wait) for wait in session.waits] or [describe_activity(session.activity)]
        return f"{_name_session(session)} needs you: {'; '.join(what)}"
    if session.state is State.WORKING:
        doing = " ".join(filter(None, (describe_activity(session.activity), describe_queue(session.queued))))
        return f"{_name_session(session)} is working: {doing}" if doing else f"{_name_session(session)} is working"
    return f"{_name_session(session)} {_describe_activity(session)}"


def _describe_activity(session: Session) -> str:
    if session.state is State.NEEDS_YOU:
        return "needs you"
    if session.state is State.WORKING:
        return "working"
    detail = describe_activity(session.activity)
    if session.activity.kind is ActivityKind.NEW and session.turns:
        return "was resumed, nothing asked since"
    return _IDLE.get(session.activity.kind, f"is idle: {detail}" if detail else "is idle")


_IDLE = {
    ActivityKind.FINISHED: "has finished",
    ActivityKind.INTERRUPTED: "was interrupted",
    ActivityKind.NEW: "is new, nothing asked yet",
}


def _name_session(session: Session) -> str:
    return clean(session.name) or shorten_id(session.session_id)


def _name_agent(agent: Agent) -> str:
    return clean(agent.name) or clean(agent.type) or clean(agent.agent_id)[:8]


def _format_place(session: Session) -> str:
    return f", {clean(session.project.name)}" if session.project.name else ""


def _format_since(session: Session, now: float) -> str:
    begun = session.since if session.liveness is Liveness.LIVE else session.ended_at or session.since
    return f", for {format_spoken(now - begun)}" if begun else ""


def format_spoken(seconds: float) -> str:
    """Formats a duration in full words: 14 seconds, 4 minutes, 2 hours 10 minutes, 3 days."""
    whole = max(0, int(seconds))
    if whole < 60:
        return format_count(whole, "second")
    if whole < 3600:
        return format_count(whole // 60, "minute")
    if whole < 24 * 3600:
        minutes = whole % 3600 // 60
        return format_count(whole // 3600, "hour") + (f" {format_count(minutes, 'minute')}" if minutes else "")
    return format_count(whole // (24 * 3600), "day")


def _format_figures(session: Session) -> str:
    context = f", context {session.context.percent:.0f} percent" if session.context.percent is not None else ""
    cost = f", cost {format_money(session.cost.usd)}" if session.cost.usd is not None else ""
    return context + cost


def _list_agents(session: Session) -> Iterable[str]:
    waiting = {wait.agent_id for wait in session.waits}
    for agent in session.agents:
        if agent.state not in OVER and agent.agent_id not in waiting and session.liveness is Liveness.LIVE:
            detail = describe_activity(agent.activity)
            about = f", {clean(agent.description)}" if agent.description else ""
            yield f"{_name_agent(agent)}{about}: {agent.state.value.replace('_', ' ')}{f', {detail}' if detail else ''}"


def _describe_unreadable(broken: Unreadable) -> str:
    return f"Can't be read: {clean(broken.path)}: {clean(broken.problem)}"


def _count_needing(number: int) -> str:
    return f"{number} needs you" if number == 1 else f"{number} need you"


def _rank_session(session: Session) -> tuple[int, float, str]:
    live = session.liveness is Liveness.LIVE
    order = {State.NEEDS_YOU: 0, State.WORKING: 1, State.IDLE: 2}
    begun = session.since if live else -(session.ended_at or session.since)
    return (order[session.state] if live else 3, begun, session.session_id)
