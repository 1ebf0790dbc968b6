"""The subject of the panes: what the selected row shows."""

import msgspec

from atm_tui.model.fleet import Fleet
from atm_tui.model.machine import Machine
from atm_tui.model.session import OVER, Agent, Liveness, Session, Unreadable
from atm_tui.model.spans import Spans
from atm_tui.view.row import RowId


class Group(msgspec.Struct, frozen=True):
    """The sessions of a project, or the recently closed ones, as a group."""

    name: str
    root: str
    sessions: tuple[Session, ...]
    before: tuple[Spans, ...] = ()
    """Waits of today by sessions of the group that are no longer listed."""
    machine: Machine | None = None
    """The other machine whose sessions these are; None for any other group."""


class AgentIn(msgspec.Struct, frozen=True):
    """An agent with its session."""

    session: Session
    agent: Agent


class DoneAgents(msgspec.Struct, frozen=True):
    """The done agents of a session."""

    session: Session
    agents: tuple[Agent, ...]


Subject = Group | Session | AgentIn | DoneAgents | Unreadable | None


def find_subject(fleet: Fleet, row_id: RowId | None) -> Subject:
    """Returns what a row shows; None when it is gone, or nothing is selected."""
    match row_id:
        case ("session", session_id):
            return fleet.sessions.get(session_id)
        case ("agent", session_id, agent_id):
            session = fleet.sessions.get(session_id)
            agents = session.agents if session else ()
            agent = next((each for each in agents if each.agent_id == agent_id), None)
            return AgentIn(session, agent) if session and agent else session
        case ("done", session_id):
            session = fleet.sessions.get(session_id)
            return (
                DoneAgents(session, tuple(each for each in session.agents if each.state in OVER)) if session else None
            )
        case ("project", root):
            members = tuple(each for each in fleet.sessions.values() if each.root == root)
            before = fleet.waited_before.get(root, ())
            return Group(members[0].project.name, root, members, before) if members else None
        case ("machine", name):
            there = tuple(each for each in fleet.sessions.values() if each.machine == name)
            machine = next((each for each in fleet.machines if each.name == name), None)
            return Group(name or "this machine", "", there, machine=machine)
        case ("closed",) | ("older",):
            gone = tuple(each for each in fleet.sessions.values() if each.liveness is not Liveness.LIVE)
            return Group("recently closed", "", gone)
        case ("unreadable", path):
            return next((each for each in fleet.unreadable if each.path == path), None)
        case _:
            return None


def find_session(fleet: Fleet, row_id: RowId | None) -> Session | None:
    """Returns the session of a row: a session, an agent, or the fold of done agents."""
    if row_id and row_id[0] in {"session", "agent", "done"}:
        return fleet.sessions.get(row_id[1])
    return None
