"""The lease of an armed app: when it is renewed, and when it expires. The files are real."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_hooks import answers
from atm_tui.monitor import lease_keeper
from atm_tui.monitor.lease_keeper import STUCK, LeaseKeeper
from tests.support.waiting import wait_until

BEAT = 0.02
OTHER = {"version": 1, "id": "f" * 32, "pid": os.getpid(), "wait": 60}
ARMED_PROCESS = """
import sys, time
from atm_tui.monitor import lease_keeper
lease_keeper.BEAT = float(sys.argv[2])
keeper = lease_keeper.LeaseKeeper(sys.argv[1])
keeper.take(60.0)
print("armed", flush=True)
time.sleep(600)
"""


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def short_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_keeper, "BEAT", BEAT)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "state"


def file(root: Path) -> Path:
    return root / "answers" / "lease"


def let_expire(root: Path) -> None:
    os.utime(file(root), (1.0, 1.0))


def is_fresh(root: Path) -> bool:
    return answers.find_lease(str(root), time.time()) is not None


@pytest.fixture
def keeper(root: Path) -> Iterator[LeaseKeeper]:
    keeper = LeaseKeeper(str(root))
    yield keeper
    keeper.give_back()


def test_the_lease_is_renewed_while_the_main_thread_is_busy(keeper: LeaseKeeper, root: Path) -> None:
    keeper.take(60.0)
    let_expire(root)
    while not is_fresh(root):  # never sleeps; the test's own time limit ends it
        sum(range(10_000))


def test_the_lease_is_not_renewed_after_its_release(keeper: LeaseKeeper, root: Path) -> None:
    keeper.take(60.0)
    keeper.give_back()
    assert not keeper.is_held
    assert not file(root).exists()
    answers.arm(str(root), OTHER)
    let_expire(root)
    time.sleep(5 * BEAT)
    assert not is_fresh(root)


def test_a_stuck_event_loop_loses_the_lease_until_it_continues(root: Path) -> None:
    clock = Clock()
    keeper = LeaseKeeper(str(root), clock=clock)
    keeper.take(60.0)
    clock.seconds += STUCK + 1
    time.sleep(2 * BEAT)  # a heartbeat may be under way
    let_expire(root)
    time.sleep(5 * BEAT)
    assert not is_fresh(root)
    keeper.note_alive()
    wait_until(lambda: is_fresh(root))
    keeper.give_back()


def test_the_keeper_reports_that_another_app_took_the_lease(root: Path) -> None:
    lost: list[bool] = []
    keeper = LeaseKeeper(str(root), lambda: lost.append(keeper.is_held))
    keeper.take(60.0)
    answers.arm(str(root), OTHER)
    wait_until(lambda: lost == [False])
    assert keeper.problem is None
    keeper.give_back()
    assert file(root).exists()


def test_the_keeper_reports_why_the_lease_cannot_be_renewed(root: Path) -> None:
    keeper = LeaseKeeper(str(root))
    keeper.take(60.0)
    (root / "answers").chmod(0o777)
    wait_until(lambda: not keeper.is_held)
    wait_until(lambda: "not yours alone" in (keeper.problem or ""))
    (root / "answers").chmod(0o700)
    keeper.take(60.0)
    assert keeper.problem is None
    keeper.give_back()


def test_a_stopped_or_dead_process_renews_nothing(root: Path) -> None:
    command = [sys.executable, "-c", ARMED_PROCESS, str(root), str(BEAT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == b"armed\n"
            let_expire(root)
            wait_until(lambda: is_fresh(root))
            process.send_signal(signal.SIGSTOP)
            os.waitpid(process.pid, os.WUNTRACED)
            let_expire(root)
            time.sleep(10 * BEAT)
            assert not is_fresh(root)
            process.send_signal(signal.SIGCONT)
            wait_until(lambda: is_fresh(root))
        finally:
            process.kill()
    let_expire(root)
    time.sleep(5 * BEAT)
    assert not is_fresh(root)
