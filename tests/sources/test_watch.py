"""Hints: at once on a change, at the heartbeat without one, through folders that go and come, and when watching fails."""

import asyncio
import errno
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from atm_tui.sources import watch
from atm_tui.sources.watch import Watcher


async def hint_after(hints: AsyncIterator[None], action: object = None) -> float:
    """Seconds to the next hint after an action."""
    begun = time.monotonic()
    if callable(action):
        action()
    await asyncio.wait_for(anext(hints), 5)
    return time.monotonic() - begun


async def started(folder: Path) -> tuple[Watcher, AsyncIterator[None]]:
    watcher = Watcher(lambda: [folder])
    hints = watcher.hints()
    await anext(hints)
    return watcher, hints


async def settle(hints: AsyncIterator[None]) -> None:
    """The watch of the system has begun once a heartbeat has passed."""
    await asyncio.wait_for(anext(hints), 5)


async def close(hints: AsyncIterator[None]) -> None:
    await hints.aclose()  # type: ignore[attr-defined]
    await asyncio.sleep(0.05)


@pytest.fixture(autouse=True)
def quick_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "HEARTBEAT", 1.0)


async def test_the_first_hint_comes_at_once_and_the_heartbeat_without_a_change(tmp_path: Path) -> None:
    _, hints = await started(tmp_path)
    assert 0.8 < await hint_after(hints) < 2
    await close(hints)


async def test_a_file_that_is_replaced_gives_a_hint_well_before_the_heartbeat(tmp_path: Path) -> None:
    _, hints = await started(tmp_path)
    await settle(hints)

    def replace() -> None:
        (tmp_path / "x.tmp").write_text("1")
        (tmp_path / "x.tmp").replace(tmp_path / "x.json")

    assert await hint_after(hints, replace) < 0.7
    await close(hints)


async def test_other_files_give_no_hint(tmp_path: Path) -> None:
    _, hints = await started(tmp_path)
    await settle(hints)
    assert await hint_after(hints, lambda: (tmp_path / "secret.key").write_text("1")) > 0.8
    await close(hints)


async def test_a_folder_that_is_deleted_and_made_anew_is_watched_again(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    _, hints = await started(folder)
    await settle(hints)
    folder.rmdir()
    folder.mkdir()
    await settle(hints)
    await settle(hints)
    assert await hint_after(hints, lambda: (folder / "a.json").write_text("{}")) < 0.7
    await close(hints)


async def test_a_folder_that_is_not_there_yet_is_found_at_a_heartbeat(tmp_path: Path) -> None:
    folder = tmp_path / "later"
    watcher, hints = await started(folder)
    await settle(hints)
    assert watcher.problem == "nothing to watch yet"
    folder.mkdir()
    await settle(hints)
    await settle(hints)
    assert watcher.problem is None
    await close(hints)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE])
async def test_a_system_without_watches_left_is_polled_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise OSError(code, "refused")

    monkeypatch.setattr(watch, "awatch", refuse)
    watcher, hints = await started(tmp_path)
    assert 0.8 < await hint_after(hints) < 2
    assert watcher.problem
    assert "looking every" in watcher.problem
    assert "disk" not in watcher.problem
    await close(hints)


async def test_a_recheck_comes_before_the_heartbeat(tmp_path: Path) -> None:
    watcher, hints = await started(tmp_path)
    watcher.within(0.1)
    assert await hint_after(hints) < 0.5
    await close(hints)


async def test_after_a_rest_one_hint_stands_for_all_that_came_meanwhile(tmp_path: Path) -> None:
    watcher, hints = await started(tmp_path)
    watcher.rest(60.0)
    asyncio.get_running_loop().call_later(0.05, watcher.nudge)
    asyncio.get_running_loop().call_later(0.1, watcher.nudge)
    assert 0.25 < await hint_after(hints) < 0.6
    watcher.rest(0.0)
    assert await hint_after(hints) > 0.7
    assert await hint_after(hints, watcher.nudge) < 0.2
    await close(hints)
