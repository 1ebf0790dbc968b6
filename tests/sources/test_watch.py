"""Hints: at once after a change, at the heartbeat without one, for folders that come and go, and when watching fails."""

import asyncio
import errno
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import watchfiles

from atm_tui.sources import notices, wakeups, watch
from atm_tui.sources.watch import Watcher
from tests.support.waiting import PATIENCE

QUICK, NEVER = 0.5, 10 * PATIENCE
"""Seconds of a heartbeat that a test waits for, and of one that it does not live to see."""


NOTICES_ONLY = pytest.mark.skipif(not notices.are_there(), reason="the system tells of no changes")


class WatcherHarness:
    """A watcher of one folder, and the heartbeat."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.watcher = Watcher(lambda: [folder])
        self._hints: AsyncIterator[None] = self.watcher.watch()
        self.set_heartbeat(QUICK)
        monkeypatch.setattr(watch, "measure_pause", lambda _, interval: interval)  # not what is left of it by the clock

    def set_heartbeat(self, seconds: float) -> None:
        self._monkeypatch.setattr(watch, "HEARTBEAT", seconds)

    async def wait(self) -> float:
        """Waits for the next hint; returns the seconds that it took."""
        begin = time.monotonic()
        await asyncio.wait_for(anext(self._hints), PATIENCE)
        return time.monotonic() - begin

    async def wait_for_change(self, change: Callable[[], object]) -> None:
        """Makes a change until it gives a hint: the thread that watches may not have begun at the first one."""
        self.set_heartbeat(NEVER)
        hint = asyncio.ensure_future(anext(self._hints))
        end = time.monotonic() + PATIENCE
        while not hint.done():
            assert time.monotonic() < end, "no hint came"
            change()
            await asyncio.wait({hint}, timeout=1)
        await hint

    async def close(self) -> None:
        await self._hints.aclose()  # type: ignore[attr-defined]
        await asyncio.sleep(0.05)


def use_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "are_there", lambda: False)


@pytest.fixture(params=["notices", "thread"])
async def hints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[WatcherHarness]:
    if request.param == "thread":
        use_thread(monkeypatch)
    found = WatcherHarness(tmp_path / "sessions", monkeypatch)
    yield found
    await found.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "sessions"
    path.mkdir()
    return path


def make_again(folder: Path) -> None:
    folder.rmdir()
    folder.mkdir()


async def test_the_first_hint_comes_at_once_and_then_one_at_each_heartbeat(folder: Path, hints: WatcherHarness) -> None:
    hints.set_heartbeat(NEVER)
    await hints.wait()
    hints.set_heartbeat(QUICK)
    assert await hints.wait() > 0.9 * QUICK
    assert await hints.wait() > 0.9 * QUICK


async def test_a_replaced_file_gives_a_hint_before_the_heartbeat(folder: Path, hints: WatcherHarness) -> None:
    def replace() -> None:
        (folder / "x.tmp").write_text("1")
        (folder / "x.tmp").replace(folder / "x.json")

    await hints.wait()
    await hints.wait_for_change(replace)


async def test_a_hint_names_the_files_that_changed_and_now_and_then_stands_for_all(
    folder: Path, hints: WatcherHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_LOOK_AT_ALL", NEVER)
    await hints.wait()
    assert hints.watcher.take_changed() is None
    await hints.wait_for_change(lambda: (folder / "a.json").write_text("{}"))
    while (changed := hints.watcher.take_changed()) is None:  # the watch began anew meanwhile
        await hints.wait_for_change(lambda: (folder / "a.json").write_text("{}"))
    assert changed == {str(folder / "a.json")}
    monkeypatch.setattr(watch, "_LOOK_AT_ALL", 0.0)
    assert hints.watcher.take_changed() is None


async def test_other_files_give_no_hint(folder: Path, hints: WatcherHarness) -> None:
    await hints.wait()
    await hints.wait_for_change(lambda: (folder / "a.json").write_text("{}"))
    hints.set_heartbeat(QUICK)
    for _ in range(3):  # hints of the change before may still follow
        await hints.wait()
    (folder / "secret.key").write_text("1")
    assert await hints.wait() > 0.9 * QUICK


async def test_a_folder_deleted_and_recreated_is_watched_again(folder: Path, hints: WatcherHarness) -> None:
    await hints.wait()
    await hints.wait()
    make_again(folder)
    await hints.wait()
    await hints.wait()
    await hints.wait_for_change(lambda: (folder / "a.json").write_text("{}"))


async def test_a_folder_that_is_created_later_is_found_at_a_heartbeat(tmp_path: Path, hints: WatcherHarness) -> None:
    await hints.wait()
    await hints.wait()
    assert hints.watcher.problem == "nothing to watch yet"
    (tmp_path / "sessions").mkdir()
    await hints.wait()
    await hints.wait()
    assert hints.watcher.problem is None


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE])
async def test_without_file_watching_only_the_heartbeat_remains_and_a_notice_says_so(
    folder: Path, hints: WatcherHarness, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise OSError(code, "refused")

    monkeypatch.setattr(watchfiles, "awatch", refuse)
    monkeypatch.setattr(notices, "_call", refuse)
    await hints.wait()
    assert await hints.wait() > 0.9 * QUICK
    assert hints.watcher.problem
    assert "looking every" in hints.watcher.problem
    assert "disk" not in hints.watcher.problem


async def test_a_limit_gives_a_hint_before_the_heartbeat(folder: Path, hints: WatcherHarness) -> None:
    hints.set_heartbeat(NEVER)
    await hints.wait()
    hints.watcher.limit_wait(0.1)
    await hints.wait()


async def test_in_a_calm_fleet_heartbeats_are_rare_unless_nothing_else_gives_hints(
    folder: Path, hints: WatcherHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await hints.wait()
    await hints.wait()
    hints.watcher.interval, hints.watcher.problem = NEVER, "nothing tells of changes"
    await hints.wait()
    hints.watcher.problem = None
    monkeypatch.setattr(watch, "measure_pause", lambda _, interval: 3 * QUICK if interval == NEVER else 0.0)
    assert await hints.wait() > 2.9 * QUICK


async def test_heartbeats_come_when_the_app_is_awake_anyway(
    folder: Path, hints: WatcherHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, float]] = []

    def measure_pause(now: float, interval: float) -> float:
        asked.append((now, interval))
        return wakeups.measure_pause(now, interval)

    monkeypatch.setattr(watch, "measure_pause", measure_pause)
    begun = time.time()
    for _ in range(3):
        await hints.wait()
    assert [interval for _, interval in asked] == [QUICK, QUICK]
    assert all(begun <= now <= time.time() for now, _ in asked)


async def test_after_a_pause_one_hint_covers_all_changes(folder: Path, hints: WatcherHarness) -> None:
    hints.set_heartbeat(NEVER)
    await hints.wait()
    hints.watcher.hold_back(60.0)
    asyncio.get_running_loop().call_later(0.05, hints.watcher.nudge)
    asyncio.get_running_loop().call_later(0.1, hints.watcher.nudge)
    assert await hints.wait() > 0.25
    hints.watcher.hold_back(0.0)
    hints.set_heartbeat(QUICK)
    assert await hints.wait() > 0.9 * QUICK


async def test_a_nudge_from_any_thread_gives_a_hint_at_once(folder: Path, hints: WatcherHarness) -> None:
    hints.set_heartbeat(NEVER)
    await hints.wait()
    hints.watcher.nudge()
    await hints.wait()
    threading.Timer(0.1, hints.watcher.nudge).start()
    await hints.wait()


@NOTICES_ONLY
async def test_no_thread_looks_for_changes_where_the_system_tells_of_them(folder: Path) -> None:
    def count_threads() -> int:
        return sum(1 for _ in Path("/proc/self/task").iterdir())

    hints, before = Watcher(lambda: [folder]).watch(), count_threads()
    await anext(hints)
    following = asyncio.ensure_future(anext(hints))
    await asyncio.sleep(QUICK)
    assert count_threads() <= before
    following.cancel()
    await asyncio.wait({following})
    await hints.aclose()  # type: ignore[attr-defined]


@NOTICES_ONLY
async def test_a_folder_watched_by_two_names_gives_both(folder: Path) -> None:
    link = folder.with_name("link")
    link.symlink_to(folder)
    found = notices.follow_folders([str(folder), str(link)])
    following = asyncio.ensure_future(anext(found))
    await asyncio.sleep(0)
    (folder / "a.json").write_text("{}")
    assert await asyncio.wait_for(following, PATIENCE) == {str(folder / "a.json"), str(link / "a.json")}
    await found.aclose()


@NOTICES_ONLY
async def test_when_more_has_changed_than_the_system_keeps_any_file_may_have(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overflow = notices._HEAD.pack(-1, notices._OVERFLOW, 0, 0)
    monkeypatch.setattr(notices.os, "read", lambda *_: overflow)
    found = notices.follow_folders([str(folder)])
    following = asyncio.ensure_future(anext(found))
    await asyncio.sleep(0)
    (folder / "a.json").write_text("{}")
    assert await asyncio.wait_for(following, PATIENCE) is None
    await found.aclose()


@pytest.mark.parametrize("turns", range(8))
async def test_it_ends_when_it_is_cancelled_even_as_a_hint_comes(folder: Path, turns: int) -> None:
    """`turns`: of the event loop, between the two."""
    watcher = Watcher(lambda: [folder])

    async def follow() -> None:
        async for _ in watcher.watch():
            pass

    following = asyncio.create_task(follow())
    await asyncio.sleep(0.05)
    watcher.nudge()
    for _ in range(turns):
        await asyncio.sleep(0)
    following.cancel()
    await asyncio.wait({following}, timeout=PATIENCE)
    assert following.cancelled()


async def test_in_a_calm_fleet_heartbeats_stay_frequent_where_a_change_was_not_told(
    folder: Path, hints: WatcherHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_LOOK_AT_ALL", 0.0)
    watcher = hints.watcher
    path = folder / "a.json"
    await hints.wait()
    await hints.wait_for_change(lambda: path.write_text("{}"))
    while watcher.take_changed() is not None or watcher._told is None:  # the watch began anew meanwhile
        await hints.wait_for_change(lambda: path.write_text("{}"))
    watcher.note_found([str(path)])  # told, and found
    await hints.wait_for_change(lambda: path.write_text("{}"))
    watcher.take_changed()
    assert not watcher.is_silent
    watcher.note_found([str(folder / "b.json")])  # nothing told of it
    assert not watcher.is_silent
    watcher.take_changed()
    assert watcher.is_silent
    watcher.interval = NEVER
    hints.set_heartbeat(QUICK)
    await hints.wait()
    await hints.wait()
