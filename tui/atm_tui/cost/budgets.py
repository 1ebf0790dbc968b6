"""Budgets: which were crossed, each told once."""

from datetime import datetime

import msgspec

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, Session


class ReachedBudget(msgspec.Struct, frozen=True, kw_only=True):
    """A budget that was reached."""

    key: str
    """By which it is known that it was told."""
    session: Session | None = None
    """None: it is the day's."""
    usd: float = 0.0
    """What was spent."""


def find_reached_budgets(fleet: Fleet, now: float, day: float, session: float) -> tuple[ReachedBudget, ...]:
    """All budgets that are reached at `now` (epoch seconds): the `day`'s, and each live `session`'s (USD; 0: none).

    A budget that was raised is another one, and is told again.
    """
    found = []
    if day > 0 and fleet.today is not None and fleet.today >= day:
        date = datetime.fromtimestamp(now).astimezone().date()
        found.append(ReachedBudget(key=f"day {date} {day:g}", usd=fleet.today))
    found += [
        ReachedBudget(key=f"session {each.session_id} {session:g}", session=each, usd=each.cost.usd)
        for each in fleet.sessions.values()
        if each.liveness is Liveness.LIVE and each.cost.usd is not None and 0 < session <= each.cost.usd
    ]
    return tuple(found)
