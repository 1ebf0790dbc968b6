"""Finds out what suppresses notifications: the focus of tmux panes, and quiet hours."""

from collections.abc import Iterable
from datetime import datetime

import msgspec

from atm_tui.config import Config
from atm_tui.model.notification import parse_quiet_hours
from atm_tui.model.session import Session


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What suppresses notifications, besides quiet hours."""

    focused: frozenset[str] = frozenset()
    """Ids of the sessions whose panes have the focus."""
    muted_until: float = 0.0
    """Epoch seconds."""
    is_in_front: bool = False
    """Whether the user is in front of an app."""


def find_focused(sessions: Iterable[Session]) -> frozenset[str]:
    """Returns the ids of the sessions whose tmux panes have the focus. Blocks briefly."""
    from atm_tui.jump.tmux_focus import list_focused_panes  # noqa: PLC0415  the first notification loads it

    inside = [each for each in sessions if each.terminal.kind == "tmux" and each.terminal.socket]
    panes = {socket: list_focused_panes(socket) for each in inside if (socket := each.terminal.socket)}
    return frozenset(each.session_id for each in inside if each.terminal.pane in panes[each.terminal.socket or ""])


def is_quiet_hour(config: Config, now: float) -> bool:
    """Whether `now` (epoch seconds) is within the quiet hours, by the local time."""
    hours = parse_quiet_hours(config.quiet_hours)
    local = datetime.fromtimestamp(now).astimezone()
    return hours is not None and hours.include(local.hour * 60 + local.minute)
