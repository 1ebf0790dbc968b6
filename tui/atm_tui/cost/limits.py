"""The rate limits of each account, from the statusLine samples of all its sessions."""

from collections.abc import Iterable

import msgspec

from atm_tui.model.session import Limit, Session

OLD = 600.0
"""Seconds after which a sample is too old: other sessions may have used the limit since."""
_SAME = 60.0
"""Seconds by which two samples may differ in the end of the same window."""


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """One rate-limit window of an account, as last known."""

    percent: float
    resets_at: float | None = None
    """Epoch seconds."""
    at: float = 0.0
    """When the sample was taken."""

    def is_stale(self, now: float) -> bool:
        """Whether the figure is too old, or its window has ended."""
        return now - self.at > OLD or (self.resets_at is not None and self.resets_at <= now)


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one config folder of Claude Code, which has one login."""

    config_dir: str = ""
    five_hour: Gauge | None = None
    seven_day: Gauge | None = None


def find_accounts(sessions: Iterable[Session]) -> tuple[Account, ...]:
    """Returns the accounts whose limits are known, sorted by config folder."""
    by_folder: dict[str, list[Session]] = {}
    for session in sessions:
        if session.limits is not None:
            by_folder.setdefault(session.config_dir or "", []).append(session)
    return tuple(
        Account(
            config_dir=folder,
            five_hour=_find_newest((s.limits.five_hour, s.limits.at) for s in members if s.limits),
            seven_day=_find_newest((s.limits.seven_day, s.limits.at) for s in members if s.limits),
        )
        for folder, members in sorted(by_folder.items())
    )


def _find_newest(samples: Iterable[tuple[Limit | None, float]]) -> Gauge | None:
    """Returns the newest sample of one kind of window.

    The times of the samples can't tell, since an idle session goes on repeating the limits of its last answer. The window
    that ends last is the newest one, and within a window usage only grows.
    """
    best: Gauge | None = None
    for limit, at in samples:
        if limit is None:
            continue
        new = Gauge(percent=limit.percent, resets_at=limit.resets_at, at=at)
        if best is None:
            best = new
            continue
        ends_later = (new.resets_at or 0.0) - (best.resets_at or 0.0)
        if ends_later > _SAME or (abs(ends_later) <= _SAME and (new.percent, new.at) > (best.percent, best.at)):
            best = new
    return best
