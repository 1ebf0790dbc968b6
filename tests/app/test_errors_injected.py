"""The app while system calls for its files fail: it starts, refreshes, handles keys, and exits with 0."""

import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from atm_tui.app import AtmApp
from atm_tui.cli.main import PORTION
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.theme import ThemeFile
from tests.support.app_files import AppDriver
from tests.support.effort import LONG, sample
from tests.support.faults import CALLS, NUMBERS, Decide, get_number, inject
from tests.support.full_home import FullHome, enter_full_home

KEYS = (
    *("A", "p", "z", "U", "x", "v", "V", "escape", "space", "escape", "a", "escape", "d", "escape", "e", "o", "n", "s"),
    *("b", "L", "H", "t", "u", "r", "l", "escape"),
    *("T", "down", "enter", "W", "escape", "i", "enter", "enter", "escape", "escape", "y", "A"),
)
"""Everything that reads or writes files, and the ways back."""
MORE_KEYS = (
    *("b", "j", "p", "L", "j", "H", "j", "t", "tab", "plus", "minus", "equals_sign", "escape"),
    *("question_mark", "escape", "ctrl+p", "escape", "slash", "escape", "g", "G", "A"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FullHome]:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX", "TMUX_PANE", "STY", "VISUAL", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("EDITOR", "PAGER"):
        monkeypatch.setenv(name, "true")
    with enter_full_home(tmp_path, monkeypatch) as home:
        yield home


@asynccontextmanager
async def _run_app(home: FullHome) -> AsyncIterator[AppDriver]:
    config = Config()
    monitor = LiveMonitor(home.state, [home.claude], config, portion=PORTION, cache_dir=home.folder / ".cache")
    app = AtmApp(monitor, config, greets=True, themes=ThemeFile(home.state))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = AppDriver(app, pilot)
        await driver.wait_until(lambda: app.screen_stack[0].has_class("-loaded"))
        yield driver


def _choose_failing(dice: random.Random) -> Decide:
    """All or some of the calls of a few kinds."""
    failing = frozenset(dice.sample(list(CALLS), dice.choice([1, 1, 2, 8])))
    share = dice.choice([0.2, 1.0])
    return lambda kind, _: kind in failing and dice.random() < share


async def _leave(driver: AppDriver) -> None:
    app = driver.app
    while len(app.screen_stack) > 1:
        app.pop_screen()
    await driver.press("q")
    await driver.wait_until(lambda: not app.is_running)
    assert (app.return_code or 0) == 0


@pytest.mark.parametrize("kind", sample(CALLS, "open", "stat", list(CALLS)[-1]))
async def test_the_app_starts_while_calls_fail(home: FullHome, kind: str) -> None:
    for name in NUMBERS if LONG else [NUMBERS[list(CALLS).index(kind)]]:
        with inject(str(home.folder), get_number(name), lambda called, _, kind=kind: called == kind):
            async with _run_app(home) as driver:
                await _leave(driver)


async def test_a_refresh_ends_with_every_error_at_every_kind_of_call(home: FullHome) -> None:
    async with _run_app(home) as driver:
        for kind in CALLS:
            for name in NUMBERS if LONG else NUMBERS[list(CALLS).index(kind) % 3 :: 3]:
                with inject(str(home.folder), get_number(name), lambda called, _, kind=kind: called == kind):
                    await driver.app._refresh()
                    assert driver.app.is_running, (kind, name)
        await driver.app._refresh()
        await driver.wait_for_text("npm test")
        await _leave(driver)


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
async def test_no_key_ends_the_app_while_calls_fail(home: FullHome, seed: int) -> None:
    dice = random.Random(seed)
    async with _run_app(home) as driver:
        for key in KEYS + MORE_KEYS if LONG else KEYS:
            with inject(str(home.folder), get_number(dice.choice(NUMBERS)), _choose_failing(dice)):
                await driver.press(key)
            assert driver.app.is_running, key
        await _leave(driver)
