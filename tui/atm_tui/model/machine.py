"""Another machine whose sessions are shown, and the link to it, as values."""

from enum import StrEnum
from typing import Any

import msgspec

from atm_tui.model.request import Arming


class LinkState(StrEnum):
    """The states of the link to a machine."""

    CONNECTING = "connecting"
    """Nothing has come yet."""
    LIVE = "live"
    SILENT = "silent"
    """The link stands, but no line has come for three heartbeats."""
    BROKEN = "broken"
    """It is tried again, after growing pauses."""
    REFUSED = "refused"
    """Something has to be changed first: no atm-tui there, or one that speaks another protocol."""


class StreamTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Live sessions by state, cost in USD, and seconds waited today."""

    needs_you: int = 0
    working: int = 0
    idle: int = 0
    cost_usd: float | None = None
    waited_today: float = 0.0


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine and the link to it. Times are epoch seconds of our clock."""

    name: str
    link: LinkState = LinkState.CONNECTING
    silent_since: float | None = None
    """When its last word came; None while the link is live, or when none ever came."""
    retry_at: float | None = None
    """When the link is tried again; None while it stands or is being tried."""
    problem: str = ""
    """Why there is no link, with the next step."""
    version: str = ""
    """The version of atm-tui there."""
    ahead: float = 0.0
    """Seconds by which its clock is ahead of ours; 0 when the difference is too small to matter."""
    unknown: dict[str, Any] = {}
    """What its hello and its fleet line had and we don't know."""
    notices: tuple[str, ...] = ()
    """What atm-tui warns of there."""
    arming: Arming | None = None
    """Whether its requests can be answered from here; None: that was not asked for, or is not known yet."""
    arming_problem: str = ""
    """Why they can't, with the next step."""
    counts: StreamTotals | None = None
    """What is known of one that publishes nothing of its single sessions."""
