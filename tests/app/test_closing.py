"""Screens that close while their workers work: no worker is left that misses what is gone."""

import asyncio
import importlib
import inspect
import pkgutil
from collections.abc import AsyncIterator, Iterator

import pytest
from textual.command import CommandInput, CommandList, DiscoveryHit
from textual.css.query import NoMatches
from textual.dom import NoScreen
from textual.events import Key
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import LoadingIndicator
from textual.worker import WorkerFailed

import atm_tui
from atm_tui.screens import palette
from atm_tui.screens.app_screen import AppScreen
from atm_tui.screens.palette import PaletteScreen
from atm_tui.screens.too_small import TooSmallScreen
from atm_tui.screens.usage import UsageScreen
from atm_tui.screens.welcome import WelcomeScreen
from atm_tui.screens.wizard import WizardScreen
from atm_tui.widgets.ends_workers_first import EndsWorkersFirst
from tests.support.app_files import HomeOnDisk
from tests.support.session_ids import A
from tests.support.waiting import comes_true


def list_widgets(base: type[Widget]) -> Iterator[type[Widget]]:
    for each in base.__subclasses__():
        yield each
        yield from list_widgets(each)


def test_whatever_runs_workers_ends_them_before_what_is_inside_it_is_gone() -> None:
    for module in pkgutil.walk_packages(atm_tui.__path__, "atm_tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    ours = {each for each in list_widgets(Widget) if each.__module__.startswith("atm_tui.")}
    running = {each for each in ours if "self.run_worker(" in inspect.getsource(each)}
    assert len(running) > 8
    assert not {each for each in running if not issubclass(each, EndsWorkersFirst)}


async def test_the_palette_closes_while_it_searches(disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of its widgets is gone, and another not yet, when the search has an entry to show."""
    disk.start(A)
    goes_on, leaves = asyncio.Event(), asyncio.Event()

    async def discover(_: palette.Entries) -> AsyncIterator[DiscoveryHit]:
        await goes_on.wait()
        yield DiscoveryHit("an entry", lambda: None)

    exit_really = LoadingIndicator._message_loop_exit

    async def exit_late(indicator: LoadingIndicator) -> None:
        await leaves.wait()
        await exit_really(indicator)

    monkeypatch.setattr(palette.Entries, "discover", discover)
    monkeypatch.setattr(LoadingIndicator, "_message_loop_exit", exit_late)
    async with disk.run_app() as driver:
        await driver.press("ctrl+p")
        screen = driver.app.screen
        assert isinstance(screen, PaletteScreen)
        listed = screen.query_one(CommandList)
        searching = list(driver.app.workers)
        driver.app.pop_screen()
        assert await comes_true(lambda: not listed.is_attached)
        goes_on.set()
        assert await comes_true(lambda: all(each.is_finished for each in searching if each.node is screen))
        leaves.set()
        assert await comes_true(lambda: not screen.is_attached)
        await driver.wait_for_text("do aaaaaaaa")
    assert not driver.app.return_code


async def test_a_palette_that_closes_before_it_was_shown_searches_nothing(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app() as driver:
        driver.app.action_palette()
        driver.app.pop_screen()
        await driver.settle()
        assert driver.app.screen is driver.app.fleet_screen
        await driver.press("ctrl+p")
        assert isinstance(driver.app.screen, PaletteScreen)


def test_all_screens_close_once() -> None:
    """But the one that no key closes."""
    found = {each for each in list_widgets(Screen) if each.__module__.startswith("atm_tui.")} - {TooSmallScreen}
    assert len(found) > 12
    assert not {each for each in found if not issubclass(each, AppScreen)}


@pytest.mark.parametrize("below", ["", "u"])
async def test_fast_keys_choose_one_entry_of_the_palette_once(disk: HomeOnDisk, below: str) -> None:
    """The second and third come before the first has closed it."""
    disk.start(A)
    async with disk.run_app() as driver:
        await driver.wait_until(lambda: driver.selected == ("session", A))
        await driver.press(*below, "ctrl+p", *"walk through")
        screen = driver.app.screen
        assert isinstance(screen, PaletteScreen)
        await driver.wait_until(lambda: screen._list_visible and screen.query_one(CommandList).option_count == 1)
        await driver.press("down")
        for _ in range(3):
            driver.app.screen.query_one(CommandInput)._forward_event(Key("enter", None))
        await driver.wait_until(lambda: isinstance(driver.app.screen, WelcomeScreen))
        await driver.settle()
        assert len(driver.app.screen_stack) == 2 + len(below), driver.app.screen_stack


async def test_two_fast_keys_close_one_dialog(disk: HomeOnDisk) -> None:
    disk.start(A)
    async with disk.run_app() as driver:
        await driver.press("u")
        below = driver.app.screen
        assert isinstance(below, UsageScreen)
        for key in ("colon", "enter", "enter"):
            driver.app.simulate_key(key)
        await driver.settle()
        assert driver.app.screen is below


async def meet_fault(disk: HomeOnDisk, *faults: Exception, closes: bool) -> int | None:
    """The return code of an app that meets faults, while it closes or not. Raises the first one that it doesn't let pass."""
    async with disk.run_app() as driver:
        if closes:
            driver.app.exit()
        for each in faults:
            driver.app._handle_exception(each)
    return driver.app.return_code


async def test_what_misses_a_widget_while_the_app_closes_is_no_fault(disk: HomeOnDisk) -> None:
    missed = NoMatches("a list")
    assert await meet_fault(disk, missed, WorkerFailed(NoScreen("a line")), closes=True) == 0
    with pytest.raises(LookupError):
        await meet_fault(disk, LookupError("a price"), closes=True)
    with pytest.raises(NoMatches):
        await meet_fault(disk, missed, closes=False)


async def test_a_key_before_the_options_of_the_wizard_are_laid_out_changes_none(
    disk: HomeOnDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with disk.run_app() as driver:
        await driver.press("i")
        await driver.wait_until(lambda: isinstance(driver.app.screen, WizardScreen))
        screen = driver.app.screen
        assert isinstance(screen, WizardScreen)
        monkeypatch.setattr(WizardScreen, "_page", "options")
        assert screen._choices.main.cursor is None
        before = screen._options
        screen.action_choose()
        assert screen._options == before


async def test_work_that_is_cancelled_before_it_begins_leaves_no_warning(disk: HomeOnDisk) -> None:
    async def work() -> None:
        raise AssertionError

    async with disk.run_app() as driver:
        coroutine = work()
        worker = driver.app.screen.run_worker(coroutine)
        worker.cancel()
        assert await comes_true(lambda: worker not in driver.app.workers)
        assert inspect.getcoroutinestate(coroutine) == inspect.CORO_CLOSED
