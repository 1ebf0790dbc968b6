"""The rate limits of each account, from the statusLine samples of all its sessions."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from atm_tui.model.limit_check import PACE_SPAN
from atm_tui.model.session import Limit, Limits, Session

OLD = 600.0
"""Seconds after which a sample is too old: other sessions may have used the limit since."""
_SAME = 60.0
"""Seconds by which two samples may differ in the end of the same window."""

_LEAST_SPAN = 600.0
"""Seconds that samples must cover for a forecast."""
_LEAST_SAMPLES = 3
"""Number of samples that a forecast needs."""
_LEAST_GROWTH = 2.0
"""Percentage points that must have been used in them: figures are whole numbers, so less may be almost nothing."""


class LimitSample(msgspec.Struct, frozen=True, gc=False):
    """The share of a window that was used at a time."""

    at: float
    """Epoch seconds."""
    percent: float
    """0 to 100."""
    resets_at: float | None = None
    """Epoch seconds."""


class Gauge(msgspec.Struct, frozen=True, kw_only=True):
    """One rate-limit window of an account, as last known."""

    percent: float | None
    """None: no possible figure is known."""
    resets_at: float | None = None
    """Epoch seconds."""
    at: float = 0.0
    """When the sample was taken."""
    full_at: float | None = None
    """When it will be reached at the pace of the last half hour, epoch seconds; None: too little is known."""

    def is_over(self, now: float) -> bool:
        """Whether the window has ended, so that the figure no longer holds."""
        return self.resets_at is not None and self.resets_at <= now

    def is_stale(self, now: float) -> bool:
        """Whether the figure is too old, or its window has ended."""
        return now - self.at > OLD or self.is_over(now)

    def find_full_time(self, now: float) -> float | None:
        """Returns when it will be reached, if the figure is still valid; epoch seconds."""
        return None if self.is_stale(now) or self.full_at is None else max(self.full_at, now)

    def is_full_before_reset(self, now: float) -> bool:
        """Whether it will be reached before it resets."""
        full_at = self.find_full_time(now)
        return full_at is not None and (self.resets_at is None or full_at < self.resets_at)


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one config folder of Claude Code, which has one login."""

    config_dir: str = ""
    five_hour: Gauge | None = None
    seven_day: Gauge | None = None

    @property
    def windows(self) -> tuple[tuple[str, Gauge], ...]:
        """Its windows with their short names."""
        named = (("5h", self.five_hour), ("7d", self.seven_day))
        return tuple((name, gauge) for name, gauge in named if gauge is not None)


def find_accounts(
    sessions: Iterable[Session], full_at: Mapping[tuple[str, str], float] = MappingProxyType({})
) -> tuple[Account, ...]:
    """Returns the accounts whose limits are known, sorted by config folder.

    `full_at`: when limits will be reached (epoch seconds), by config folder and window.
    """
    by_folder: dict[str, list[Limits]] = {}
    machines: dict[str, str] = {}
    for session in sessions:
        if session.limits is not None:
            by_folder.setdefault(session.config_dir or "", []).append(session.limits)
            machines[session.config_dir or ""] = session.machine
    if any(machines.values()):
        by_folder = _join_machines(by_folder, machines)
    return tuple(
        Account(
            config_dir=folder,
            five_hour=_find_newest([(each.five_hour, each.at) for each in given], full_at.get((folder, "five_hour"))),
            seven_day=_find_newest([(each.seven_day, each.at) for each in given], full_at.get((folder, "seven_day"))),
        )
        for folder, given in sorted(by_folder.items())
    )


def _join_machines(by_folder: Mapping[str, list[Limits]], machines: Mapping[str, str]) -> dict[str, list[Limits]]:
    """Joins what several machines say of the same account: the limits of an account end at the same second everywhere.

    `machines`: of each folder, "" for this one, whose folder then names the account.
    """
    joined: dict[str, list[Limits]] = {}
    for folder in sorted(by_folder, key=lambda each: (machines[each] != "", each)):
        given = by_folder[folder]
        same = (
            each
            for each, known in joined.items()
            if machines[each] != machines[folder] and _list_ends(known) & _list_ends(given)
        )
        joined.setdefault(next(same, folder), []).extend(given)
    return joined


def _list_ends(given: Iterable[Limits]) -> set[tuple[str, int]]:
    """Returns when the windows end that are known, in epoch seconds. Two accounts hardly ever have one in common."""
    windows = [window for each in given for window in (("5h", each.five_hour), ("7d", each.seven_day))]
    return {(name, round(limit.resets_at)) for name, limit in windows if limit is not None and limit.resets_at}


def _find_newest(samples: Iterable[tuple[Limit | None, float]], full_at: float | None) -> Gauge | None:
    """Returns the newest of the samples of one kind of window.

    While a session is idle, its statusLine repeats what its last answer said, so the time of a sample decides nothing: the
    window that ends last is the newest one, and within a window usage only grows. One without a share counts only where
    none has any.
    """
    best: Gauge | None = None
    for limit, at in samples:
        if limit is None:
            continue
        new = Gauge(percent=limit.percent, resets_at=limit.resets_at, at=at, full_at=full_at)
        if best is None or best.percent is None:
            best = new
            continue
        if new.percent is None:
            continue
        ends_later = (new.resets_at or 0.0) - (best.resets_at or 0.0)
        if ends_later > _SAME or (abs(ends_later) <= _SAME and (new.percent, new.at) > (best.percent, best.at)):
            best = new
    return best


def forecast_full(samples: Iterable[LimitSample], now: float) -> float | None:
    """Forecasts when a limit will be reached (epoch seconds), at the pace of the last half hour before `now`.

    None when there is too little data: few samples, a short time, or hardly any use. Samples of earlier windows do not
    count, nor does what an idle session repeats: the share that is used only grows within a window.
    """
    recent = sorted((each for each in samples if now - PACE_SPAN <= each.at <= now), key=lambda each: each.at)
    ends = max((each.resets_at or 0.0 for each in recent), default=0.0)
    curve: list[LimitSample] = []
    for each in recent:
        if abs((each.resets_at or 0.0) - ends) <= _SAME and (not curve or each.percent >= curve[-1].percent):
            curve.append(each)
    if len(curve) < _LEAST_SAMPLES:
        return None
    first, last = curve[0], curve[-1]
    span, growth = last.at - first.at, last.percent - first.percent
    if span < _LEAST_SPAN or growth < _LEAST_GROWTH:
        return None
    return last.at + max(0.0, 100 - last.percent) * span / growth
