"""Old files are removed, those of live sessions never; of many files, some at each refresh."""

import os
import subprocess

import pytest

from atm_tui.config import Config
from atm_tui.model.session import Liveness
from atm_tui.monitor import housekeeping
from tests.support.followed_machine import HOUR, Machine


def test_old_files_of_ended_and_lost_sessions_are_removed_but_never_of_live_ones(machine: Machine) -> None:
    machine.send_turn("live")
    machine.send_turn("ended")
    machine.send_hook(5, "SessionEnd", "ended", reason="logout")
    with subprocess.Popen(["true"]) as gone:
        pass
    machine.send_hook(1, "SessionStart", "lost", pid=gone.pid, source="startup")
    app = machine.make_monitor(Config(forget_after=2.0))
    app.refresh()
    assert {key: session.liveness for key, session in app.fleet.sessions.items()} == {
        "live": Liveness.LIVE,
        "ended": Liveness.ENDED,
        "lost": Liveness.LOST,
    }
    machine.now = machine.start + 1.9 * HOUR
    app.refresh()
    assert machine.list_files("ended")
    machine.now = machine.start + 2.1 * HOUR
    app.refresh()
    app.refresh()
    assert list(app.fleet.sessions) == ["live"]
    assert machine.list_files("ended") == machine.list_files("lost") == []
    assert machine.list_files("live")


def test_many_old_files_are_removed_in_parts(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "MOST_REMOVED", 2)
    for number in range(5):
        machine.send_turn(f"s{number}")
        machine.send_hook(5.0, "SessionEnd", f"s{number}", reason="other")
    app = machine.make_monitor(Config(forget_after=2.0))
    app.refresh()
    machine.now += 3 * HOUR
    left = []
    for _ in range(3):
        app.refresh()
        left.append(len(list((machine.state_dir / "sessions").iterdir())))
    assert left == [3, 1, 0]


def test_temporary_files_of_killed_hooks_are_removed_when_they_are_old(machine: Machine) -> None:
    machine.send_turn()
    old, young = machine.state_dir / "tmp" / "old", machine.state_dir / "tmp" / "young"
    old.write_text("half")
    young.write_text("half")
    os.utime(old, (machine.now - 25 * HOUR,) * 2)
    os.utime(young, (machine.now - HOUR,) * 2)
    machine.make_monitor().refresh()
    assert not old.exists()
    assert young.exists()
