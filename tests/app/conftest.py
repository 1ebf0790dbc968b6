"""Drives the app with a monitor that holds its sessions in memory: the same messages and the same path as from disk."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.geometry import Size
from textual.pilot import Pilot

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.screens import too_small
from atm_tui.screens.fleet import FleetScreen
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.theme import ThemeFile
from atm_tui.widgets.fleet_view import FleetView
from atm_tui.widgets.session_tree import SessionTree
from tests.support.app_answers import AskingSession, make_asking_session
from tests.support.app_files import HomeOnDisk, settle
from tests.support.fleets import HOME
from tests.support.machines import Net, run_net
from tests.support.memory_monitor import MemoryMonitor
from tests.support.screen_driver import ScreenDriver
from tests.support.waiting import comes_true
from tests.support.wizard import OTHERS, WizardHome


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", HOME)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Net]:
    """Other machines, reached by `ssh NAME` over a real sshd."""
    with run_net(tmp_path / "net") as net:
        monkeypatch.setenv("PATH", str(net.bin), prepend=":")
        yield net


@pytest.fixture
def asking_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingSession]:
    """A session whose hook waits for an answer, in a home of its own."""
    yield from make_asking_session(tmp_path, monkeypatch)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeOnDisk:
    """A home of its own, with the files of sessions that a test writes."""
    return settle(tmp_path / "home", monkeypatch)


@pytest.fixture
def wizard_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WizardHome:
    """A home with settings of another program, for the wizard."""
    monkeypatch.setenv("HOME", str(tmp_path))
    made = WizardHome(tmp_path)
    made.file.write_bytes(OTHERS)
    return made


@pytest.fixture
def uncovered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets screens be seen also where the terminal is too small for them."""
    monkeypatch.setattr(too_small, "LEAST", Size(1, 1))


@dataclass
class MemoryAppDriver(ScreenDriver):
    """A running app, and what a test wants to know of it."""

    app: AtmApp
    monitor: MemoryMonitor
    pilot: Pilot[None]

    @property
    def main(self) -> FleetScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, FleetScreen)
        return screen

    @property
    def tree(self) -> SessionTree:
        return self.main.tree_view.session_tree

    @property
    def view(self) -> FleetView:
        """The view that is shown."""
        assert self.app.screen is self.main, self.text
        return self.main.view

    @property
    def ids(self) -> list[tuple[str, ...]]:
        return [row.id for row in self.tree.rows]

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        """Waits for what has to travel through a thread and the message queue."""
        assert await comes_true(holds), f"did not come true:\n{self.text}"
        await self.pilot.pause()

    async def put(self, *sessions: object, **others: object) -> None:
        """New values on the "disk"; returns once the screen shows them."""
        before = self.monitor.refreshes
        self.monitor.put(list(sessions), **others)  # type: ignore[arg-type]
        await self.wait_until(lambda: self.monitor.refreshes > before)
        async with self.app._reading:  # the refresh has ended, and what it found is on its way to the screens
            pass
        await self.settle()
        await self.pilot.pause(0.05)

    async def tick(self, seconds: float) -> None:
        """Lets the frozen clock jump, and the app notice."""
        self.monitor.time += seconds
        self.main._tick()
        await self.pilot.pause()


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    # the time of these sessions is always the same, and near noon in this zone: at no hour is their today another day
    monkeypatch.setenv("TZ", "UTC0")
    time.tzset()

    @asynccontextmanager
    async def run_app(
        sessions: object = (),
        *,
        size: tuple[int, int] = (120, 40),
        config: Config | None = None,
        followed: FollowedConfig | None = None,
        themes: ThemeFile | None = None,
        **others: object,
    ) -> AsyncIterator[MemoryAppDriver]:
        monitor = MemoryMonitor()
        monitor.put(list(sessions), **others)  # type: ignore[call-overload, arg-type]
        if followed is not None:
            followed.read()
            config = followed.config
        app = AtmApp(monitor, config or Config(), followed=followed, themes=themes)
        async with app.run_test(size=size) as pilot:
            driver = MemoryAppDriver(app, monitor, pilot)
            await driver.wait_until(lambda: driver.main.is_loaded)
            await pilot.pause(0.05)
            yield driver

    return run_app
