"""Watches the money while the app runs: counts what was spent today, and tells of a budget that is reached, once."""

import asyncio
from collections.abc import Callable

from atm_tui.config import Config
from atm_tui.cost.budgets import ReachedBudget, find_reached_budgets
from atm_tui.monitor.protocol import Monitor, Stop
from atm_tui.text import clean, money

SOON = 1.0
"""Seconds after the start before the first count: the first frame comes first."""
AGAIN = 60.0
"""Seconds between two counts while anything happens."""
NAMED = 3
"""Sessions over their budget that are named."""


class BudgetAlerts:
    """Keeps `fleet.today` up to date. Reads off the event loop."""

    def __init__(
        self, monitor: Monitor, config: Config, changed: Callable[[], object], tell: Callable[[str], object]
    ) -> None:
        """`changed` is called when `fleet.today` did, `tell` with what a person has to know."""
        self._monitor = monitor
        self._config = config
        self._changed = changed
        self._tell = tell
        self._news = True

    async def follow(self, stop: Stop, soon: float = SOON, again: float = AGAIN) -> None:
        """Counts now and again until `stop` is set."""
        await asyncio.sleep(soon)
        while not stop.is_set():
            if self._news:
                self._news = False
                await self.count(stop)
            await asyncio.sleep(again)

    async def count(self, stop: Stop) -> None:
        """Counts once; what is broken off tells nothing."""
        steps, usd, over = self._monitor.count_today(), None, object()
        while (step := await asyncio.to_thread(next, steps, over)) is not over:
            if stop.is_set():
                return
            usd = step if isinstance(step, float) else None
        if usd != self._monitor.fleet.today:
            self._monitor.fleet.today = usd
            self._changed()

    def look(self) -> None:
        """The fleet changed: it may have spent something."""
        self._news = True
        config, fleet = self._config, self._monitor.fleet
        if not config.budget_day and not config.budget_session:
            return
        reached = find_reached_budgets(fleet, self._monitor.now(), config.budget_day, config.budget_session)
        new = [each for each in reached if self._monitor.is_first_time(each.key)]
        days = [each for each in new if each.session is None]
        sessions = [each for each in new if each.session is not None]
        for each in days:
            self._tell(f"{money(each.usd)} spent today: over your budget of {money(config.budget_day)}")
        if sessions:
            self._tell(f"{_named(sessions)}: over your budget of {money(config.budget_session)} a session")


def _named(reached: list[ReachedBudget]) -> str:
    names = [f"{clean(each.session.name)} {money(each.usd)}" for each in reached[:NAMED] if each.session]
    more = len(reached) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])])
