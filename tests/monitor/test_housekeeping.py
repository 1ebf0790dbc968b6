"""Old files are removed, those of live sessions never; of many files, some at each refresh."""

import os
import subprocess
from itertools import chain

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


LEFT = ("tmp/{}", "app/care.{}.tmp", "schema.{}", "locks/{}.lock", "journal/{}.jsonl", "journal/{}.jsonl.1", "panes/{}")
"""What a killed hook or app can leave: unfinished files, and those of a session without a state file."""


def test_leftovers_are_looked_for_once_an_hour_whichever_command_does(machine: Machine) -> None:
    machine.send_turn()
    left = machine.state_dir / "journal" / "4711.jsonl"

    def look_after(seconds: float) -> bool:
        machine.now += seconds
        left.write_text("")
        os.utime(left, (machine.now - 25 * HOUR,) * 2)
        machine.make_monitor().refresh()
        return not left.exists()

    assert [look_after(each) for each in (0, 1, HOUR - 2, 2, HOUR + 1, -2 * HOUR)] == [
        *(True, False, False, True, True, True),
    ]
    following = machine.make_monitor()
    machine.now += HOUR + 1
    left.write_text("")
    os.utime(left, (machine.now - 25 * HOUR,) * 2)
    following.refresh()
    assert not left.exists()


def test_what_killed_hooks_and_apps_left_is_removed_when_it_is_old(machine: Machine) -> None:
    machine.send_turn()
    for folder in ("app", "panes"):
        (machine.state_dir / folder).mkdir(exist_ok=True)
    ages = {"4711": 25, "4712": 1}
    left = {number: [machine.state_dir / name.format(number) for name in LEFT] for number in ages}
    ours = ("app/care.json", "app/care.lock", "hook.log", "schema", "schema.txt", "locks/README.txt", "panes/s")
    others = [machine.state_dir / name for name in ours]
    for path in (*others, *chain(*left.values())):
        path.write_text("")
        hours = next((age for number, age in ages.items() if number in path.name), 25)
        os.utime(path, (machine.now - hours * HOUR,) * 2)
    for path in machine.state_dir.glob("*/s.*"):
        os.utime(path, (machine.now - 25 * HOUR,) * 2)
    machine.make_monitor().refresh()
    assert [path for path in left["4711"] if path.exists()] == []
    assert all(path.exists() for path in (*left["4712"], *others))
    assert machine.list_files() == ["s", "s.json", "s.jsonl", "s.lock"]
