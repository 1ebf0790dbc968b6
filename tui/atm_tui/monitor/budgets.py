"""Counts what was spent today while the app runs, and gives one alert for each budget that is reached."""

import asyncio
import time
from collections.abc import Callable, Iterator

from atm_tui.config import Config
from atm_tui.cost.budgets import ReachedBudget, find_reached_budgets
from atm_tui.monitor.protocol import Monitor, Stop
from atm_tui.sources.wakeups import measure_pause
from atm_tui.text import clean, format_money

START_DELAY = 1.0
"""Seconds from the start to the first count, so that the first frame comes first."""
INTERVAL = 60.0
"""Seconds between two counts while sessions are active."""
STEP = 0.1
"""Seconds of counting after which it may stop."""
MAX_NAMED = 3
"""Number of sessions that an alert names."""


class BudgetAlerts:
    """Keeps `fleet.today` up to date. Reads in threads."""

    def __init__(
        self, monitor: Monitor, config: Config, on_change: Callable[[], object], alert: Callable[[str], object]
    ) -> None:
        """`on_change` is called when `fleet.today` changed, `alert` with the text of an alert."""
        self._monitor = monitor
        self.config = config
        self._on_change = on_change
        self._alert = alert
        self._is_outdated = True

    async def follow(self, stop: Stop, delay: float = START_DELAY, interval: float = INTERVAL) -> None:
        """Counts after `delay`, then every `interval` seconds, until `stop` is set."""
        await asyncio.sleep(delay)
        while not stop.is_set():
            if self._is_outdated:
                self._is_outdated = False
                await self.count(stop)
            await asyncio.sleep(measure_pause(time.time(), interval))

    async def count(self, stop: Stop) -> None:
        """Counts once. Changes nothing if `stop` is set meanwhile."""
        if (spending := self._monitor.spending) is None:
            return
        steps, usd, is_left = spending.count_today(), None, True
        while is_left:
            usd, is_left = await asyncio.to_thread(_read_some, steps, usd)
            if stop.is_set():
                return
        if usd != self._monitor.fleet.today:
            self._monitor.fleet.today = usd
            self._on_change()

    def check(self) -> None:
        """Gives the alerts of newly reached budgets. Call it when the fleet has changed."""
        self._is_outdated = True
        config, fleet = self.config, self._monitor.fleet
        if not config.budget_day and not config.budget_session:
            return
        reached = find_reached_budgets(fleet, self._monitor.now(), config.budget_day, config.budget_session)
        new = [each for each in reached if self._monitor.is_first_time(each.key)]
        days = [each for each in new if each.session is None]
        sessions = [each for each in new if each.session is not None]
        for each in days:
            self._alert(f"{format_money(each.usd)} spent today: over your budget of {format_money(config.budget_day)}")
        if sessions:
            self._alert(
                f"{_name_sessions(sessions)}: over your budget of {format_money(config.budget_session)} a session"
            )


def _read_some(steps: Iterator[float | None], last: float | None) -> tuple[float | None, bool]:
    """Goes on for STEP seconds; returns the last value, `last` without one, and whether there may be more.

    Handing over each of many short steps would begin more threads, each with memory of its own.
    """
    end = time.monotonic() + STEP
    for value in steps:
        last = value
        if time.monotonic() > end:
            return last, True
    return last, False


def _name_sessions(reached: list[ReachedBudget]) -> str:
    names = [f"{clean(each.session.name)} {format_money(each.usd)}" for each in reached[:MAX_NAMED] if each.session]
    more = len(reached) - len(names)
    return ", ".join([*names, *([f"{more} more"] if more else [])])
