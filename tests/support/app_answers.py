"""The app on real files, with real hook processes that wait for an answer, and a clock for keys that a test moves."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.screens.answer_keys import TICK, AnswerKeys
from tests.support.answering import WaitingHook
from tests.support.answers_on_disk import AnswerHarness, run_client
from tests.support.app_files import AppDriver


class Clock:
    """A clock in seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float, keys: AnswerKeys) -> None:
        """Lets time pass while the app is awake."""
        for _ in range(round(seconds / TICK)):
            self.seconds += TICK
            keys.update()


class AskingSession:
    """A session whose hook waits for an answer, and the clock for keys."""

    def __init__(self, harness: AnswerHarness) -> None:
        self.harness = harness
        self.clock = Clock()
        self.keys = AnswerKeys(self.clock)

    @contextmanager
    def open_request(self, tool: str = "Bash", given: object = None, **fields: Any) -> Iterator[WaitingHook]:
        with self.harness.open_request(tool, given, **fields) as hook:
            yield hook

    @asynccontextmanager
    async def run_app(
        self, size: tuple[int, int] = (120, 40), config: Config | None = None, *, arm: bool = True
    ) -> AsyncIterator[AppDriver]:
        """Runs the app, armed by default."""
        config = config or Config()
        app = AtmApp(self.harness.make_monitor(config), config)
        app.arming.keys = self.keys = AnswerKeys(self.clock, app.keys)
        async with app.run_test(size=size) as pilot:
            driver = AppDriver(app, pilot)
            await driver.wait_until(lambda: app.screen_stack[0].has_class("-loaded"))
            if arm:
                await driver.press("A")
                await driver.wait_for_text("armed: ")
                app.fleet_screen.footer.clear_message()
            yield driver

    def settle(self) -> None:
        """Lets a second pass without a key press."""
        self.clock.advance(1.0, self.keys)


def make_asking_session(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingSession]:
    """Yields an AskingSession with its own home and a live client, for a fixture."""
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX", "TMUX_PANE", "STY", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    with run_client() as process:
        yield AskingSession(AnswerHarness(folder, process.pid))
