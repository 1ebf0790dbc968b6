"""A result that is kept: used as long as all that it was made of is as it was, and never after."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui.sources import kept_result
from atm_tui.sources.kept_result import LONGEST, MARGIN, KeptResult, Sources
from atm_tui.sources.process_start import read_running_start
from tests.support.waiting import wait_for_tick

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no result is kept")
LATER = 60.0
"""Seconds after which the files of a test are settled."""


class KeptResultHarness:
    """A result made of a file, a folder, a file that is missing, and this process, a minute after they changed."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache"
        self.place = folder / "place"
        self.place.mkdir()
        self.file = self.place / "file"
        self.file.write_text("before")
        (folder / "empty").mkdir()
        self.missing = folder / "empty" / "none" / "missing"
        self.processes = {os.getpid(): read_running_start(os.getpid()), 2**22 + 1: ""}
        self.now = time.time() + LATER

    def save(self, until: float | None = None, key: str = "key", *, now: float | None = None) -> None:
        sources = Sources(map(str, (self.file, self.place, self.missing)), self.processes, until)
        KeptResult(self.cache, "kept", [key]).save(["a", "", "ü\udc80"], sources, self.now if now is None else now)

    def load(self, key: str = "key", *, after: float = 0.0) -> list[str] | None:
        return KeptResult(self.cache, "kept", [key]).load(self.now + after)


@pytest.fixture
def kept(tmp_path: Path) -> KeptResultHarness:
    return KeptResultHarness(tmp_path)


def test_a_kept_result_is_used_while_nothing_changes(kept: KeptResultHarness) -> None:
    assert kept.load() is None
    kept.save()
    assert kept.load() == ["a", "", "ü\udc80"] == kept.load(after=LONGEST - 1)
    assert [(each.name, each.stat().st_mode & 0o777) for each in kept.cache.iterdir()] == [("kept", 0o600)]
    assert kept.cache.stat().st_mode & 0o777 == 0o700


def rewrite_in_place(kept: KeptResultHarness) -> None:
    kept.file.write_text("after!")


def rewrite_with_the_old_time(kept: KeptResultHarness) -> None:
    before = kept.file.stat()
    kept.file.write_text("after!")
    os.utime(kept.file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replace(kept: KeptResultHarness) -> None:
    other = kept.file.with_name("other")
    other.write_text("before")
    other.replace(kept.file)


def replace_the_folder_by_a_link(kept: KeptResultHarness) -> None:
    kept.place.rename(kept.place.with_name("moved"))
    kept.place.symlink_to("moved")
    (kept.place / "new").touch()


def make_missing(kept: KeptResultHarness) -> None:
    kept.missing.parent.mkdir()
    kept.missing.touch()


CHANGES: list[Callable[[KeptResultHarness], object]] = [
    rewrite_in_place,
    rewrite_with_the_old_time,
    replace,
    replace_the_folder_by_a_link,
    make_missing,
    lambda kept: kept.file.unlink(),
    lambda kept: kept.file.chmod(0),
    lambda kept: (kept.place / "new").touch(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_change_of_a_file_is_missed(kept: KeptResultHarness, change: Callable[[KeptResultHarness], object]) -> None:
    kept.save()
    assert kept.load() is not None
    wait_for_tick(kept.cache)
    assert kept.load() is not None
    change(kept)
    assert kept.load() is None


def test_an_ended_process_is_noticed_even_as_a_zombie(kept: KeptResultHarness) -> None:
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=subprocess.PIPE)
    kept.processes[child.pid] = read_running_start(child.pid)
    kept.save()
    assert kept.load() is not None
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert kept.load() is None
    child.communicate()
    assert kept.load() is None


def test_a_reused_pid_is_another_process(kept: KeptResultHarness) -> None:
    kept.processes[os.getpid()] = "5"
    kept.save()
    assert kept.load() is None


def test_a_kept_result_expires(kept: KeptResultHarness) -> None:
    kept.save(until=kept.now + 5)
    assert kept.load(after=4.9) is not None
    assert kept.load(after=5) is None
    assert kept.load(after=-1) is None, "the clock was set back"
    kept.save()
    assert kept.load(after=LONGEST) is None


def test_a_kept_result_is_valid_only_for_its_paths_and_machine(
    kept: KeptResultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.save(key="other")
    assert kept.load() is None
    kept.save()
    monkeypatch.setattr(kept_result, "find_boot_time", lambda: 1.0)
    assert kept.load() is None


@pytest.mark.parametrize("at", [0.0, MARGIN - 0.5])
def test_a_result_of_files_changed_just_before_is_not_kept(kept: KeptResultHarness, at: float) -> None:
    kept.save()
    kept.file.write_text("again")
    kept.save(now=time.time() + at)
    assert kept.load() is None


@pytest.mark.parametrize("damage", [b"", b"x", b"1 0\0x"])
def test_a_damaged_file_and_one_of_another_version_are_ignored(kept: KeptResultHarness, damage: bytes) -> None:
    kept.save()
    file = kept.cache / "kept"
    good = file.read_bytes()
    for data in (good[:-1], good.replace(b"a", b"b"), b"0" + good, damage):
        file.write_bytes(data)
        assert kept.load() is None
    kept.save()
    assert kept.load() is not None


def test_a_result_that_cannot_be_saved_is_dropped(kept: KeptResultHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.file = kept.file / "\0"
    kept.save()
    kept.file = kept.place
    kept.processes[1] = "\0"
    kept.save()
    kept.processes.pop(1)
    with monkeypatch.context() as patch:
        patch.setattr(kept_result, "LARGEST", 10)
        kept.save()
    kept.cache.mkdir()
    (kept.cache / "kept").mkdir()
    kept.save()
    assert kept.load() is None
    (kept.cache / "kept").rmdir()
    assert list(kept.cache.iterdir()) == []


def test_files_of_a_killed_writer_block_only_for_a_while(kept: KeptResultHarness) -> None:
    kept.cache.mkdir()
    left = kept.cache / "kept.tmp"
    left.touch()
    kept.save()
    assert kept.load() is None
    os.utime(left, (1, 1))
    kept.save()
    assert kept.load() is not None
    assert not left.exists()


def test_concurrent_writers_leave_a_complete_file(kept: KeptResultHarness) -> None:
    threads = [threading.Thread(target=kept.save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept.load() is not None
    assert [each.name for each in kept.cache.iterdir()] == ["kept"]
