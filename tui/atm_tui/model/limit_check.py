"""Checks which figures of a rate limit are possible. Pure."""

import msgspec

from atm_tui.model.session import Limit, Limits

HOUR = 3600.0
WINDOWS = {"five_hour": 5 * HOUR, "seven_day": 7 * 24 * HOUR}
"""Seconds that each window lasts."""
PACE_SPAN = 1800.0
"""Seconds over which the pace is measured at which a limit is used."""
ROUNDING = 0.5
"""Percentage points above 100 that rounding can explain."""
_SLACK = HOUR
"""Seconds by which our clock may differ from the one that determines the end of a window."""
_LONG_OVER = 90 * 24 * HOUR
"""Seconds after its end until which a client may still report a window."""


def check_limits(limits: Limits, at: float) -> Limits:
    """Returns the limits of a sample that was taken at `at` (epoch seconds), without the figures that can't be true."""
    return Limits(
        five_hour=limits.five_hour and _check_limit(limits.five_hour, at, WINDOWS["five_hour"]),
        seven_day=limits.seven_day and _check_limit(limits.seven_day, at, WINDOWS["seven_day"]),
        at=at,
    )


def is_share(percent: float) -> bool:
    """Whether a figure can be a share of something, in percent."""
    return 0 <= percent <= 100 + ROUNDING


def describe_impossible_share(percent: float) -> str:
    """Says why a figure is not shown as a share."""
    return f"{percent:.15g} % is no share"


def _check_limit(limit: Limit, at: float, length: float) -> Limit:
    problems = []
    if limit.percent is not None and not is_share(limit.percent):
        problems.append(describe_impossible_share(limit.percent))
        limit = msgspec.structs.replace(limit, percent=None)
    if limit.resets_at is not None and not at - _LONG_OVER < limit.resets_at <= at + length + _SLACK:
        problems.append(f"no window of {length / HOUR:.0f} hours ends at {limit.resets_at:.15g}")
        limit = msgspec.structs.replace(limit, resets_at=None)
    return msgspec.structs.replace(limit, problem="; ".join(problems)) if problems else limit
