"""What machines put into the bucket of a NATS server: keys, records, and what each level leaves out. Pure.

The key of a machine is its name, that of a session `machine.session`, each part encoded so that it is one token of a subject.
"""

import re

import msgspec

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.fleet_server import Level
from atm_tui.model.host import NAME
from atm_tui.model.machine import StreamTotals
from atm_tui.model.session import Agent, Context, Cost, Evidence, Failure, Project, ServingProcess, Session, Terminal
from atm_tui.model.stream import SESSION_ID, FleetLine, Hello
from atm_tui.model.team import Membership

BUCKET = "atm"
TIMELINE = "atm-timeline"
"""The stream of timeline events; its subjects are `atm.timeline.machine.session`."""
TIMELINE_SUBJECT = "atm.timeline"
TTL = 3600.0
"""Seconds after which the bucket forgets what nobody has put anew."""
BEAT = 10.0
"""Seconds between two records of a machine."""
KEPT_SECONDS = 24 * 3600.0
KEPT_BYTES = 256 << 20
KEPT_EVENTS = 500_000
"""How much the stream keeps of the timelines of all machines."""

_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_WORD = re.compile(r"\w{1,40}", re.ASCII)
_SOCKET = re.compile(r"/tmp/tmux-\d+/default", re.ASCII)  # noqa: S108  where tmux has it


class MachineRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the bucket of a machine as a whole; put anew each `hello.heartbeat` seconds, and when it differs."""

    hello: Hello
    level: Level = Level.COUNTS
    origin: str = ""
    """Identifies machine, user and state folder; a hash."""
    has_left: bool = False
    """Whether publishing was ended: what else stands there of the machine is no longer kept up to date."""
    totals: StreamTotals = StreamTotals()
    fleet: FleetLine = FleetLine()
    """Only with FULL."""


class HelloOnly(msgspec.Struct, frozen=True):
    """The part of a record that says by which protocol to read it."""

    hello: Hello


def encode_token(name: str) -> str:
    """Encodes a name as one token of a subject and a key: letters, digits, - and _ stand for themselves."""
    return "".join(chr(each) if each in _SAFE else f"={each:02X}" for each in name.encode(errors="replace"))


def make_key(machine: str, session_id: str = "") -> str:
    """Returns the key of a session, or that of the machine."""
    return f"{encode_token(machine)}.{encode_token(session_id)}" if session_id else encode_token(machine)


def parse_key(key: str) -> tuple[str, str] | None:
    """Returns machine and session id ("" for the machine) of a key; None for one that we would not have made."""
    parts = [re.sub(r"=([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), each) for each in key.split(".")]
    machine, session_id = (*parts, "")[:2]
    if (
        len(parts) > 2
        or not re.fullmatch(NAME, machine, re.ASCII)
        or (len(parts) == 2 and not SESSION_ID.fullmatch(session_id))
    ):
        return None
    return (machine, session_id) if make_key(machine, session_id) == key else None


def reduce_session(session: Session, level: Level) -> Session | None:
    """Returns what a level publishes of a session; None: nothing. Fields are named one by one: a new one comes with FULL only."""
    if level is Level.FULL:
        return session
    if level is Level.COUNTS:
        return None
    project = session.project
    return Session(
        session_id=session.session_id,
        name=session.session_id[:8],
        membership=Membership(lead=session.membership.lead) if session.membership else None,
        project=Project(root=project.name, name=project.name, branch=project.branch, worktree=project.worktree),
        model=session.model,
        permission_mode=session.permission_mode,
        effort=session.effort,
        version=session.version,
        kind=session.kind,
        state=session.state,
        activity=_reduce_activity(session.activity),
        liveness=session.liveness,
        ended_reason=_keep_word(session.ended_reason or "") or None,
        ended_at=session.ended_at,
        since=session.since,
        unseen=session.unseen,
        is_reported=session.is_reported,
        turns=session.turns,
        last_prompt_at=session.last_prompt_at,
        place=session.place,
        terminal=_reduce_terminal(session.terminal),
        processes=tuple(ServingProcess(place=each.place) for each in session.processes),
        queued=session.queued,
        waits=tuple(
            msgspec.structs.replace(each, key=str(number), summary="") for number, each in enumerate(session.waits)
        ),
        waited=session.waited,
        agents=tuple(map(_reduce_agent, session.agents)),
        background=session.background,
        tools_used=session.tools_used,
        errors=tuple(
            Failure(at=each.at, kind=_keep_word(each.kind), agent_id=each.agent_id) for each in session.errors
        ),
        context=_reduce_context(session.context),
        cost=_reduce_cost(session.cost),
        limits=session.limits,
        cache_until=session.cache_until,
        duration=session.duration,
        lines_added=session.lines_added,
        lines_removed=session.lines_removed,
        started_at=session.started_at,
        updated_at=session.updated_at,
        evidence=Evidence(
            source=session.evidence.source,
            event=session.evidence.event,
            at=session.evidence.at,
            agrees=session.evidence.agrees,
        ),
    )


def _keep_word(text: str) -> str:
    """Returns a name that a program gave, such as rate_limit; "" for anything longer or with blanks."""
    return text if _WORD.fullmatch(text) else ""


def _reduce_activity(activity: Activity) -> Activity:
    what = _keep_word(activity.what) if activity.kind is ActivityKind.FAILED else ""
    return Activity(kind=activity.kind, tool=activity.tool, what=what, count=activity.count)


def _reduce_agent(agent: Agent) -> Agent:
    return Agent(
        agent_id=agent.agent_id,
        kind=agent.kind,
        color=agent.color,
        type=agent.type,
        parent=agent.parent,
        state=agent.state,
        activity=_reduce_activity(agent.activity),
        since=agent.since,
        started_at=agent.started_at,
        ended_at=agent.ended_at,
        model=agent.model,
        tokens=agent.tokens,
        context=_reduce_context(agent.context),
        cost=_reduce_cost(agent.cost),
    )


def _reduce_context(context: Context) -> Context:
    return msgspec.structs.replace(context, problem=None)


def _reduce_cost(cost: Cost) -> Cost:
    return msgspec.structs.replace(cost, disagrees=None)


def _reduce_terminal(terminal: Terminal) -> Terminal:
    if terminal.kind != "tmux" or not _SOCKET.fullmatch(terminal.socket or ""):
        return Terminal(kind=terminal.kind)
    return Terminal(kind=terminal.kind, socket=terminal.socket, pane=terminal.pane)
