"""Screens that close while their workers work: no worker is left that misses what is gone."""

import asyncio
import importlib
import inspect
import pkgutil
from collections.abc import AsyncIterator, Iterator

import pytest
from textual.command import CommandList, DiscoveryHit
from textual.widget import Widget
from textual.widgets import LoadingIndicator

import atm_tui
from atm_tui.screens import palette
from atm_tui.screens.palette import PaletteScreen
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
