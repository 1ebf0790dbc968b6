"""What sources keep in memory has bounds: folders, processes and times that come and go for weeks."""

from pathlib import Path

import pytest

from atm_tui.sources import process, project, times_file
from atm_tui.sources.process import ProcessTable
from atm_tui.sources.project import ProjectCache
from atm_tui.sources.times_file import TimesFile
from atm_tui.timeline.time_waited import KEEP_DAYS, WaitTimes


def test_the_cache_of_projects_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_MOST_FOLDERS", 3)
    cache, folders = ProjectCache(), [tmp_path / f"task{number}" for number in range(8)]
    for folder in folders:
        folder.mkdir()
        assert cache.find(str(folder)).name == folder.name
    assert list(cache._known) == [str(folder) for folder in folders[-3:]]
    assert len(cache._roots) == 3
    assert cache.find(str(folders[0])).name == "task0"


def test_unused_processes_are_dropped_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_MOST", 2)
    monkeypatch.setattr(process.sys, "platform", "linux")
    table = ProcessTable()
    monkeypatch.setattr(table, "_look_up_linux", lambda pid, _: process.ProcessFact(pid=pid, start="1"))
    for pid in (1, 2, 1, 3):
        assert table.look_up(pid)
    assert list(table._known) == [1, 3]


def test_the_number_of_saved_times_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times_file, "_LIMIT", 3)
    times = TimesFile(tmp_path)
    for number in range(6):
        times.record(f"s{number}", 100.0 + number)
    assert [times.find(f"s{number}") for number in range(6)] == [0.0, 0.0, 0.0, 103.0, 104.0, 105.0]


def test_ended_waits_of_sessions_that_are_gone_are_dropped(tmp_path: Path) -> None:
    waits, now = WaitTimes(tmp_path), 1e9
    old, new = now - (KEEP_DAYS + 1) * 86400, now - 60.0
    waits._seen = {"listed": {("k", 1.0): old}, "gone": {("k", 1.0): old}, "recent": {("k", 1.0): new}}
    waits._open = {"listed": set()}
    waits._write_file(now)
    assert set(waits._seen) == {"listed", "recent"}
