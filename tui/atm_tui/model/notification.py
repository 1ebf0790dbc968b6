"""Notifications: their content, reasons and ways, and the quiet hours."""

from enum import StrEnum

import msgspec


class NotifyReason(StrEnum):
    """The reasons for a notification."""

    NEEDS_YOU = "needs_you"
    FAILED = "failed"
    FINISHED = "finished"
    BUDGET = "budget"
    LIMIT = "limit"


class NotifyWay(StrEnum):
    """How a notification reaches the user."""

    BELL = "bell"
    TERMINAL = "terminal"
    """An escape sequence that the terminal shows as a notification: OSC 9, 777 or 99."""
    NOTIFY_SEND = "notify-send"
    OSASCRIPT = "osascript"
    TMUX = "tmux"
    COMMAND = "command"


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """A current condition that gives a notification when it begins."""

    key: str
    """Identifies it; a condition that begins again has another key."""
    reason: NotifyReason
    text: str
    """One clean line that describes it, with the name of the session."""
    since: float = 0.0
    """When it began, epoch seconds."""
    session_id: str = ""
    """Empty: it is about no session."""


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """One notification about one or several conditions."""

    title: str
    body: str
    reasons: tuple[NotifyReason, ...]
    session_ids: tuple[str, ...]


class QuietHours(msgspec.Struct, frozen=True):
    """The part of each day without notifications, in minutes since midnight; it may go past midnight."""

    begin: int
    end: int

    def include(self, minute: int) -> bool:
        """Whether a minute of the day is within them."""
        if self.begin <= self.end:
            return self.begin <= minute < self.end
        return minute >= self.begin or minute < self.end


def parse_quiet_hours(text: str) -> QuietHours | None:
    """Parses "22:00-07:00"; None for an empty text. Raises ValueError for anything else."""
    if not text:
        return None
    begin, dash, end = text.partition("-")
    if not dash:
        raise ValueError(text)
    return QuietHours(_parse_minute(begin), _parse_minute(end))


def _parse_minute(text: str) -> int:
    hour, colon, minute = text.strip().partition(":")
    digits = hour + minute
    if not (colon and digits.isascii() and digits.isdigit() and len(minute) == 2 and len(hour) in (1, 2)):
        raise ValueError(text)
    if int(hour) > 23 or int(minute) > 59:
        raise ValueError(text)
    return int(hour) * 60 + int(minute)
