"""The lines of `atm-tui stream`: what one machine sends another about its sessions. docs/stream.md describes them.

A line of a kind that a reader does not know is skipped, and so is a field: both may come with a later version of the same
protocol. Whatever an older reader would get wrong has a new number.
"""

import re
from typing import Any, Literal

import msgspec

from atm_tui.model.machine import StreamTotals
from atm_tui.model.session import Session, Unreadable

PROTOCOL = 1
"""The number of this protocol."""
HEARTBEAT = 5.0
"""Seconds between two heartbeats."""
SESSION_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,127}", re.ASCII)
"""What the id of a session can be."""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: which protocol the stream speaks, of which machine and version."""

    change: Literal["hello"] = "hello"
    protocol: int
    at: float = 0.0
    """The clock of that machine, epoch seconds; as in every line."""
    version: str = ""
    """The version of atm-tui."""
    machine: str = ""
    """The name that the machine has for itself."""
    heartbeat: float = HEARTBEAT
    """Seconds after which a line comes at the latest."""
    commands: tuple[str, ...] = ()
    """What it takes on stdin; model/stream_commands.py has them."""


class StateBefore(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a session before a change."""

    state: str
    reason: str | None = None
    liveness: str = "live"


SessionChange = Literal["listed", "new", "state", "detail", "name", "figures", "back", "lost", "ended", "removed"]


class SessionLine(msgspec.Struct, frozen=True, kw_only=True):
    """One session as it is now, in full; of a removed one, as it last was."""

    change: SessionChange = "listed"
    """listed: it was there when the stream began; figures: only figures or texts differ."""
    at: float = 0.0
    before: StateBefore | None = None
    session: Session


class LimitFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One rate-limit window of the account of a config folder."""

    config_dir: str | None = None
    window: str = ""
    """5h | 7d"""
    percent: float | None = None
    resets_at: float | None = None
    full_at: float | None = None
    full_before_reset: bool = False
    at: float = 0.0


class FleetLine(msgspec.Struct, frozen=True, kw_only=True):
    """What is not of one session: state files that can't be read, warnings, limits. Comes first, and when it differs."""

    change: Literal["fleet"] = "fleet"
    at: float = 0.0
    unreadable: tuple[Unreadable, ...] = ()
    notices: tuple[str, ...] = ()
    limits: tuple[LimitFigure, ...] = ()
    machines: dict[str, dict[str, Any]] = {}
    """By the name of another machine: what its hello and its fleet line had and this atm-tui doesn't know."""


class CompleteLine(msgspec.Struct, frozen=True, kw_only=True):
    """All sessions are listed: what no line has named since the hello does not exist, and from now on no change is missed."""

    change: Literal["complete"] = "complete"
    at: float = 0.0
    sessions: int = 0


class HeartbeatLine(msgspec.Struct, frozen=True, kw_only=True):
    """The stream still runs. Comes at least as often as the hello says."""

    change: Literal["heartbeat"] = "heartbeat"
    at: float = 0.0
    totals: StreamTotals = StreamTotals()


class ReplyLine(msgspec.Struct, frozen=True, kw_only=True):
    """The reply to a command: its result, or why there is none."""

    change: Literal["reply"] = "reply"
    at: float = 0.0
    id: int = 0
    """That of the command; 0 when it could not be read."""
    result: Any = None
    problem: str = ""


StreamLine = Hello | SessionLine | FleetLine | CompleteLine | HeartbeatLine | ReplyLine

LINES: dict[str, type[msgspec.Struct]] = {
    "hello": Hello,
    "fleet": FleetLine,
    "complete": CompleteLine,
    "heartbeat": HeartbeatLine,
    "reply": ReplyLine,
    **dict.fromkeys(SessionChange.__args__, SessionLine),  # type: ignore[attr-defined]
}
"""The type of a line by its `change`."""


def build_stream_schema() -> dict[str, Any]:
    """Returns the JSON schema of a line."""
    kinds = [Hello, SessionLine, FleetLine, CompleteLine, HeartbeatLine, ReplyLine]
    found, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of `atm-tui stream`, protocol {PROTOCOL}",
        "anyOf": list(found),
        "$defs": parts,
    }
