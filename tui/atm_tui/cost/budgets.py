"""Finds the budgets that are reached."""

from datetime import datetime

import msgspec

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, Session


class ReachedBudget(msgspec.Struct, frozen=True, kw_only=True):
    """A budget that was reached."""

    key: str
    """Identifies the alert, which is given only once."""
    session: Session | None = None
    """None for the budget of the day."""
    usd: float = 0.0
    """USD that were spent."""


def find_reached_budgets(fleet: Fleet, now: float, day: float, session: float) -> tuple[ReachedBudget, ...]:
    """Returns the budgets that are reached at `now` (epoch seconds). `day` and `session`: USD; 0: no budget.

    Only live sessions are checked. A budget that was changed gets another key, so that its alert is given again.
    """
    found = []
    if day > 0 and fleet.today is not None and fleet.today >= day:
        date = datetime.fromtimestamp(now).astimezone().date()
        found.append(ReachedBudget(key=f"day {date} {day:g}", usd=fleet.today))
    if session <= 0:
        return tuple(found)
    found += [
        ReachedBudget(key=f"session {each.session_id} {session:g}", session=each, usd=each.cost.usd)
        for each in fleet.sessions.values()
        if each.liveness is Liveness.LIVE and each.cost.usd is not None and session <= each.cost.usd
    ]
    return tuple(found)
