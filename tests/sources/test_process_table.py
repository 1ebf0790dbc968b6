"""The process table, with real processes: running, suspended, dead, zombie, someone else's, and a pid that was reused."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from atm_tui.model.facts import RegistryEntry
from atm_tui.model.liveness import find_live_entries
from atm_tui.sources.exit_watcher import ExitWatcher
from atm_tui.sources.process import ProcessTable
from atm_tui.sources.process_start import find_boot_time
from tests.support.waiting import PATIENCE

NOBODY = 65534


@contextmanager
def make_process(*, user: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"], user=user) as started:
        try:
            yield started
        finally:
            started.kill()


def test_a_running_process_is_found_with_its_start() -> None:
    before = time.time()
    with make_process() as started:
        fact = ProcessTable().look_up(started.pid)
    assert fact
    assert fact.pid == started.pid
    assert before - 1 < fact.created_at < time.time() + 1
    assert fact.created_at > find_boot_time()
    if sys.platform == "linux":
        assert fact.start
        assert fact.start.isdecimal()


def test_constant_facts_are_read_only_once() -> None:
    table = ProcessTable()
    assert table.look_up(os.getpid()) is table.look_up(os.getpid())


def test_a_suspended_process_is_alive() -> None:
    table = ProcessTable()
    with make_process() as started:
        fact = table.look_up(started.pid)
        started.send_signal(signal.SIGSTOP)
        os.waitpid(started.pid, os.WUNTRACED)
        assert psutil.Process(started.pid).status() == psutil.STATUS_STOPPED
        assert table.look_up(started.pid) == fact


def test_a_zombie_is_dead_even_though_it_accepts_signals() -> None:
    table = ProcessTable()
    with make_process() as started:
        assert table.look_up(started.pid)
        started.kill()
        os.waitid(os.P_PID, started.pid, os.WEXITED | os.WNOWAIT)
        os.kill(started.pid, 0)
        assert table.look_up(started.pid) is None


def test_a_dead_process_is_not_found() -> None:
    table = ProcessTable()
    with make_process() as started:
        assert table.look_up(started.pid)
    assert table.look_up(started.pid) is None


def test_a_process_of_another_user_is_alive() -> None:
    if os.getuid() == 0:
        with make_process(user=NOBODY) as started:
            fact = ProcessTable().look_up(started.pid)
    else:
        fact = ProcessTable().look_up(1)
    assert fact
    assert fact.pid


def test_a_process_with_inaccessible_details_counts_as_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: psutil.Process) -> str:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "status", refuse)
    monkeypatch.setattr("atm_tui.sources.process.sys.platform", "darwin")  # on Linux, /proc tells everybody
    fact = ProcessTable().look_up(os.getpid())
    assert fact
    assert fact.created_at == 0.0


def test_a_reused_pid_serves_no_session() -> None:
    """The client's file of a killed process stays; here its pid is taken by a process that began at another time."""
    with make_process() as old, make_process() as new:
        table = ProcessTable()
        was, now = table.look_up(old.pid), table.look_up(new.pid)
    assert was
    assert now
    left = RegistryEntry(
        pid=new.pid, session_id="s", proc_start="1" if now.start else None, updated_at=find_boot_time()
    )
    assert find_live_entries((left,), {new.pid: now}) == ()
    right = RegistryEntry(pid=new.pid, session_id="s", proc_start=now.start, updated_at=time.time())
    assert find_live_entries((right,), {new.pid: now}) == (right,)


# --- the end of a process, as a hint

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the end of a process that is no child")


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


class ExitLog:
    def __init__(self) -> None:
        self.count = 0
        self.reported = asyncio.Event()

    def __call__(self) -> None:
        self.count += 1
        self.reported.set()


@linux
async def test_a_kill_is_reported_once() -> None:
    log = ExitLog()
    exits = ExitWatcher(log)
    with make_process() as one, make_process() as other:
        exits.follow([one.pid, other.pid])
        exits.follow([one.pid, other.pid])
        one.kill()
        await asyncio.wait_for(log.reported.wait(), PATIENCE)
        await asyncio.sleep(0.05)
        assert log.count == 1
        exits.close()


@linux
async def test_a_process_that_is_no_longer_watched_is_not_reported_and_leaves_no_descriptor() -> None:
    log = ExitLog()
    exits = ExitWatcher(log)
    before = count_descriptors()
    with make_process() as one:
        exits.follow([one.pid])
        assert count_descriptors() == before + 1
        exits.follow([])
        assert count_descriptors() == before
        one.kill()
        await asyncio.sleep(0.05)
    assert log.count == 0


@linux
async def test_a_process_that_has_ended_already_is_reported_too() -> None:
    log = ExitLog()
    exits = ExitWatcher(log)
    with make_process() as one:
        pass
    exits.follow([one.pid])
    assert log.count == 1
    exits.close()


@linux
async def test_watching_leaves_enough_file_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4, 1024))
    log = ExitLog()
    exits = ExitWatcher(log)
    before = count_descriptors()
    with make_process() as one, make_process() as two, make_process() as three:
        exits.follow([one.pid, two.pid, three.pid])
        assert count_descriptors() == before + 2
        exits.follow([one.pid, three.pid])
        assert count_descriptors() == before + 2
        exits.close()
    assert count_descriptors() == before
