"""A demo without a screen, on a clock that the test turns."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.config import Config
from atm_tui.demo.clients import Clients
from atm_tui.demo.player import Player
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor


class DemoPlayback:
    """A demo at any second of its clock."""

    def __init__(self, home: Path, clients: Clients) -> None:
        self.now = 1_800_000_000.0
        self.opened = self.now
        self.clients = clients
        self.player = Player(home, clients, clock=lambda: self.now)
        self.player.open()
        self.place = self.player.place

    def play_until(self, second: float) -> None:
        self.now = self.opened + second
        self.player.catch_up()

    def list_sessions(self) -> dict[str, Session]:
        """By name, as a reader sees them that has just been started."""
        monitor = LiveMonitor(
            self.place.state_dir, [self.place.config_dir], Config(), is_demo=True, now=lambda: self.now
        )
        monitor.refresh()
        assert not monitor.fleet.unreadable
        assert monitor.fleet.health.notices == ()
        return {session.name: session for session in monitor.fleet.sessions.values()}


@pytest.fixture
def playback(tmp_path: Path) -> Iterator[DemoPlayback]:
    with Clients() as clients:
        yield DemoPlayback(tmp_path, clients)
