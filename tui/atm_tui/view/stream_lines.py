"""Builds the lines of `atm-tui stream`. Pure."""

from typing import Any

import msgspec

from atm_tui.model.changes import Change
from atm_tui.model.decoding import convert
from atm_tui.model.fleet import Fleet
from atm_tui.model.machine import StreamTotals
from atm_tui.model.session import Session
from atm_tui.model.stream import FleetLine, HeartbeatLine, SessionLine, StateBefore, StreamLine
from atm_tui.model.unknown_fields import add_unknown
from atm_tui.view.limits_json import build_limits_json


def build_plain_line(line: StreamLine) -> Any:
    """Returns a line as it is printed: of a session of another machine, with the fields that a later version there sends."""
    if not isinstance(line, SessionLine) or (there := line.session.elsewhere) is None:
        return line
    plain = msgspec.to_builtins(line)
    del plain["session"]["elsewhere"]["unknown"]
    return add_unknown(plain, there.unknown)


def build_listed_line(session: Session, at: float) -> SessionLine:
    """Returns the line of a session that is there when the stream begins. `at`: epoch seconds, as everywhere here."""
    return SessionLine(session=session, at=at)


def build_change_line(change: Change, at: float) -> SessionLine:
    """Returns the line of a change."""
    before = change.before
    return SessionLine(
        session=change.session,
        change=change.kind.value,
        at=at,
        before=None
        if before is None
        else StateBefore(
            state=before.state.value,
            reason=before.reason.value if before.reason else None,
            liveness=before.liveness.value,
        ),
    )


def build_fleet_line(fleet: Fleet, at: float) -> FleetLine:
    """Returns the line about what is not of one session."""
    return convert(
        {
            "at": at,
            "unreadable": fleet.unreadable,
            "notices": fleet.health.notices,
            "limits": build_limits_json(fleet, at),
            "machines": {each.name: each.unknown for each in fleet.machines if each.unknown},
        },
        FleetLine,
    )


def build_heartbeat_line(fleet: Fleet, at: float) -> HeartbeatLine:
    """Returns the line that shows that the stream still runs."""
    totals = fleet.compute_totals()
    counts = StreamTotals(
        needs_you=totals.needs_you,
        working=totals.working,
        idle=totals.idle,
        cost_usd=totals.cost_usd,
        waited_today=round(fleet.measure_waited(at), 1),
    )
    return HeartbeatLine(at=at, totals=counts)
