"""The app with sessions of other machines: what its tests share, whatever the machines are reached by."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from textual.pilot import Pilot

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.machines import Machines
from atm_tui.screens.answer_keys import AnswerKeys
from tests.support.app_answers import Clock
from tests.support.app_files import AppDriver, HomeOnDisk


class MachinesDriver(AppDriver):
    """The app, with what its rows say of machines and their sessions."""

    def get_row(self, text: str) -> str:
        return next((line for line in self.lines if text in line), "")

    async def wait_for_row(self, text: str, *words: str) -> None:
        await self.wait_until(lambda: all(word in self.get_row(text) for word in words))

    def is_old(self, session_id: str) -> bool:
        return any(row.is_old for row in self.tree.rows if row.id == ("session", session_id))


Driver = TypeVar("Driver", bound=AppDriver)


@asynccontextmanager
async def run_machines_app(
    disk: HomeOnDisk,
    machines: Machines,
    make_driver: Callable[[AtmApp, Pilot[None]], Driver],
    keys_clock: Clock | None = None,
) -> AsyncIterator[Driver]:
    """Runs the app with these machines, whose links end with it. `keys_clock`: that of the guard against early keys."""
    config = Config()

    def make() -> AtmApp:
        monitor = LiveMonitor(disk.state, [disk.config_dir], config, now=disk.clock, portion=1 << 20, machines=machines)
        app = AtmApp(monitor, config)
        if keys_clock is not None:
            app.arming.keys = AnswerKeys(keys_clock, app.keys)
        return app

    try:
        async with disk.run_app((130, 40), config, make) as driver:
            yield make_driver(driver.app, driver.pilot)
    finally:
        machines.stop()
