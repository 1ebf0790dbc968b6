"""The first start: three short steps, shown once, skipped by Esc; a held Enter writes nothing."""

from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from atm_tui.app import AtmApp
from atm_tui.commands import find_command
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.screens.welcome import WelcomeScreen
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.view.welcome import KEYS, STEPS, write
from tests.support.app_files import AppDriver, HomeOnDisk
from tests.support.effort import LONG, sample


@pytest.fixture
def disk(disk: HomeOnDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeOnDisk:
    monkeypatch.chdir(tmp_path)
    return disk


def start_first_time(disk: HomeOnDisk) -> AtmApp:
    config = Config()
    return AtmApp(LiveMonitor(disk.state, [disk.config_dir], config, now=disk.clock), config, greets=True)


def show_welcome(disk: HomeOnDisk, size: tuple[int, int] = (80, 24)):
    return disk.run_app(size, app=lambda: start_first_time(disk))


async def wait_for_texts(driver: AppDriver, *texts: str) -> None:
    await driver.wait_until(lambda: all(text in driver.text for text in texts))


async def test_three_steps_and_then_the_app(disk: HomeOnDisk) -> None:
    async with show_welcome(disk) as driver:
        await wait_for_texts(driver, "1 of 3", "needs you", "working", "finished")
        await driver.press("enter")
        await wait_for_texts(driver, "2 of 3", "not installed yet", "i wizard", "↵ later")
        await driver.press("left")
        await wait_for_texts(driver, "1 of 3")
        await driver.press("enter", "enter")
        await wait_for_texts(
            driver,
            "3 of 3",
            "Go to its terminal",
            "Next session that needs you",
            "Look closer",
            "Filter all views",
            "Show all keys",
        )
        await driver.press("enter")
        await wait_for_texts(driver, "No sessions yet")
        assert len(driver.app.screen_stack) == 1


@pytest.mark.parametrize("steps", sample(range(3), 1))
async def test_escape_skips_the_remaining_steps(disk: HomeOnDisk, steps: int) -> None:
    async with show_welcome(disk) as driver:
        await wait_for_texts(driver, "1 of 3")
        await driver.press(*["enter"] * steps, "escape")
        assert not isinstance(driver.app.screen, WelcomeScreen)


async def test_the_introduction_is_shown_once_and_again_on_request(disk: HomeOnDisk) -> None:
    async with show_welcome(disk) as driver:
        await wait_for_texts(driver, "1 of 3")
    async with show_welcome(disk) as driver:
        await driver.pilot.pause(0.3)
        assert "of 3" not in driver.text
        await driver.press("W")
        await wait_for_texts(driver, "1 of 3")


async def test_with_hooks_installed_the_introduction_has_no_steps_to_do(disk: HomeOnDisk, monkeypatch) -> None:
    disk.start("a" * 8, 100)
    app = start_first_time(disk)
    health = app._monitor._check_health  # type: ignore[attr-defined]
    monkeypatch.setattr(
        app._monitor, "_check_health", lambda each: msgspec.structs.replace(health(each), hooks="installed")
    )
    async with disk.run_app((80, 24), app=lambda: app) as driver:
        await wait_for_texts(driver, "1 of 3")
        await driver.press("enter")
        await wait_for_texts(driver, "2 of 3", "They are installed", "↵ next")
        assert "i wizard" not in driver.text
        await driver.press("i")
        await wait_for_texts(driver, "1 of 4")


async def test_a_held_enter_passes_all_steps_and_writes_nothing(disk: HomeOnDisk) -> None:
    def list_our_files() -> list[Path]:
        return sorted(path for path in disk.home.rglob("*") if not path.is_relative_to(disk.state))

    before = list_our_files()
    async with show_welcome(disk) as driver:
        await wait_for_texts(driver, "1 of 3")
        await driver.press(*["enter"] * (30 if LONG else 15))
        await wait_for_texts(driver, "No sessions yet")
    assert list_our_files() == before


async def test_the_wizard_opens_from_the_introduction_and_returns_to_the_keys_step(disk: HomeOnDisk) -> None:
    async with show_welcome(disk) as driver:
        await wait_for_texts(driver, "1 of 3")
        await driver.press("enter", "i")
        await wait_for_texts(driver, "1 of 4", "Esc leave")
        await driver.press("enter", "enter")
        await wait_for_texts(driver, "3 of 4", "lines added")
        await driver.press(*["enter"] * (20 if LONG else 10))
        assert not (disk.config_dir / "settings.json").exists()
        await driver.press("a")
        await wait_for_texts(driver, "4 of 4", "written and verified")
        await driver.press("enter")
        await wait_for_texts(driver, "3 of 3")
        assert (disk.config_dir / "settings.json").exists()
        await driver.press("left")
        await wait_for_texts(driver, "2 of 3", "They are installed")


async def test_nothing_is_cut_on_the_smallest_screen(disk: HomeOnDisk) -> None:
    async with show_welcome(disk, (40, 10)) as driver:
        for step, words in (("1 of 3", "↵ next"), ("2 of 3", "i wizard"), ("3 of 3", "↵ start")):
            await wait_for_texts(driver, step, words, "Esc")
            await driver.press("enter")


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("hooks", ["installed", "missing", "stale", "disabled", "unreadable"])
@pytest.mark.parametrize("width", [28, 54, 62])
def test_each_step_fits(width: int, hooks: str, glyphs) -> None:
    for step in range(len(STEPS)):
        lines = write(step, hooks, [find_command(each) for each in KEYS], width, glyphs)
        assert len(lines) <= (8 if width < 40 else 13)
        for line in lines:
            assert sum(cell_len(text) for text, _ in line) <= width
            assert "…" not in "".join(text for text, _ in line)
            assert not glyphs.ascii or "".join(text for text, _ in line).isascii()
