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
from tests.support.app_files import Disk, Shown, settle


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    monkeypatch.chdir(tmp_path)
    return settle(tmp_path / "home", monkeypatch)


def first_start(disk: Disk) -> AtmApp:
    config = Config()
    return AtmApp(LiveMonitor(disk.state, [disk.config_dir], config, now=disk.clock), config, greets=True)


def show_welcome(disk: Disk, size: tuple[int, int] = (80, 24)):
    return disk.shown(size, app=lambda: first_start(disk))


async def wait_for_texts(shown: Shown, *texts: str) -> None:
    await shown.until(lambda: all(text in shown.text for text in texts))


async def test_three_steps_and_then_the_app(disk: Disk) -> None:
    async with show_welcome(disk) as shown:
        await wait_for_texts(shown, "1 of 3", "needs you", "working", "finished")
        await shown.press("enter")
        await wait_for_texts(shown, "2 of 3", "not installed yet", "i wizard", "↵ later")
        await shown.press("left")
        await wait_for_texts(shown, "1 of 3")
        await shown.press("enter", "enter")
        await wait_for_texts(
            shown,
            "3 of 3",
            "Go to its terminal",
            "Next session that needs you",
            "Look closer",
            "Filter all views",
            "Show all keys",
        )
        await shown.press("enter")
        await wait_for_texts(shown, "No sessions yet")
        assert len(shown.app.screen_stack) == 1


@pytest.mark.parametrize("keys", [[], ["enter"], ["enter", "enter"]])
async def test_escape_skips_what_is_left(disk: Disk, keys: list[str]) -> None:
    async with show_welcome(disk) as shown:
        await wait_for_texts(shown, "1 of 3")
        await shown.press(*keys, "escape")
        assert not isinstance(shown.app.screen, WelcomeScreen)


async def test_it_is_shown_once_and_again_when_it_is_asked_for(disk: Disk) -> None:
    async with show_welcome(disk) as shown:
        await wait_for_texts(shown, "1 of 3")
    async with show_welcome(disk) as shown:
        await shown.pilot.pause(0.3)
        assert "of 3" not in shown.text
        await shown.press("W")
        await wait_for_texts(shown, "1 of 3")


async def test_with_hooks_installed_the_introduction_has_no_steps_to_do(disk: Disk, monkeypatch) -> None:
    disk.start("a" * 8, 100)
    app = first_start(disk)
    health = app._monitor._check_health  # type: ignore[attr-defined]
    monkeypatch.setattr(
        app._monitor, "_check_health", lambda each: msgspec.structs.replace(health(each), hooks="installed")
    )
    async with disk.shown((80, 24), app=lambda: app) as shown:
        await wait_for_texts(shown, "1 of 3")
        await shown.press("enter")
        await wait_for_texts(shown, "2 of 3", "They are installed", "↵ next")
        assert "i wizard" not in shown.text
        await shown.press("i")
        await wait_for_texts(shown, "1 of 4")


async def test_a_held_enter_goes_through_and_writes_nothing(disk: Disk) -> None:
    def ours() -> list[Path]:
        return sorted(path for path in disk.home.rglob("*") if not path.is_relative_to(disk.state))

    before = ours()
    async with show_welcome(disk) as shown:
        await wait_for_texts(shown, "1 of 3")
        await shown.press(*["enter"] * 30)
        await wait_for_texts(shown, "No sessions yet")
    assert ours() == before


async def test_the_wizard_opens_from_it_and_comes_back_to_the_keys(disk: Disk) -> None:
    async with show_welcome(disk) as shown:
        await wait_for_texts(shown, "1 of 3")
        await shown.press("enter", "i")
        await wait_for_texts(shown, "1 of 4", "Esc leave")
        await shown.press("enter", "enter")
        await wait_for_texts(shown, "3 of 4", "lines added")
        await shown.press(*["enter"] * 20)
        assert not (disk.config_dir / "settings.json").exists()
        await shown.press("a")
        await wait_for_texts(shown, "4 of 4", "written and verified")
        await shown.press("enter")
        await wait_for_texts(shown, "3 of 3")
        assert (disk.config_dir / "settings.json").exists()
        await shown.press("left")
        await wait_for_texts(shown, "2 of 3", "They are installed")


async def test_nothing_is_cut_on_the_smallest_screen(disk: Disk) -> None:
    async with show_welcome(disk, (40, 10)) as shown:
        for step, words in (("1 of 3", "↵ next"), ("2 of 3", "i wizard"), ("3 of 3", "↵ start")):
            await wait_for_texts(shown, step, words, "Esc")
            await shown.press("enter")


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
