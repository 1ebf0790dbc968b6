"""The time waited: journals of the real hook code, restarts, removed journals, ends without an event, midnight."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal
from atm_tui.model.session import Evidence, Liveness, Project, Session
from atm_tui.model.wait import Wait
from atm_tui.model.waited import measure_wait_today, sum_waits_today
from atm_tui.sources.state import StateSource
from atm_tui.timeline import time_waited
from atm_tui.timeline.time_waited import KEEP, WaitTimes

MIDNIGHT = datetime(2026, 11, 28).astimezone().timestamp()
NOON = 12 * 3600.0
ASK = {"tool": "Bash", "summary": "rm x", "hash": "h1", "permission_mode": "default"}
WAIT = Wait(key="|Bash|h1", since=MIDNIGHT + NOON)


class WaitHarness:
    """A state folder, and an app on it. Times count from midnight."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        journal.prepare_folders(str(state_dir))
        self.start()

    def start(self, portion: int | None = None, *, keeps: bool = True) -> None:
        """A new app."""
        self.states = StateSource(self.state_dir)
        self.waits = WaitTimes(self.state_dir, portion)
        self.waits.writes = keeps

    def send_hook(self, at: float, kind: str, session: str = "s", **fields: Any) -> None:
        journal.record_event(
            str(self.state_dir), {"at": MIDNIGHT + at, "session_id": session, "event": kind, "pid": 7, **fields}
        )

    def wait(self, at: float, seconds: float, session: str = "s", number: int = 1) -> None:
        self.send_hook(at, "PermissionRequest", session, **ASK | {"hash": f"h{number}"})
        self.send_hook(at + seconds, "PostToolBatch", session)

    def look(self, at: float, *sessions: Session) -> list[Session]:
        self.states.refresh()
        given = sessions or [Session(session_id=key) for key in sorted(self.states.states)]
        by_id = {each.session_id: each for each in given}
        self.waits.update(self.states.states, by_id, by_id.keys() | self.waits.sessions.keys(), MIDNIGHT + at)
        return [self.waits.sessions[each.session_id] for each in given]

    def today(self, at: float, *sessions: Session) -> float:
        """Seconds of all, those that are gone included."""
        found = self.look(at, *sessions)
        return sum_waits_today(found, [spans for each in self.waits.gone.values() for spans in each], MIDNIGHT + at)

    def kept(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.state_dir / "app" / "waits.json").read_text())
        return found


@pytest.fixture
def harness(tmp_path: Path) -> WaitHarness:
    return WaitHarness(tmp_path / "state")


def test_todays_waits_are_summed_and_updated(harness: WaitHarness) -> None:
    harness.wait(-500, 100)
    harness.wait(-50, 80)
    harness.wait(1000, 60)
    assert harness.today(2000) == 90
    harness.wait(3000, 5)
    assert harness.today(4000) == 95
    harness.send_hook(5000, "PermissionRequest", **ASK)
    open_now = Session(session_id="s", waits=(Wait(key="|Bash|h1", since=MIDNIGHT + 5000),))
    assert harness.today(5010, open_now) == 105


def test_a_restart_counts_nothing_twice(harness: WaitHarness) -> None:
    harness.wait(1000, 60)
    assert harness.today(2000) == 60
    harness.start()
    assert harness.today(2000) == 60


def test_rotated_and_removed_journals_stay_in_the_sum(harness: WaitHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 600)
    for number in range(20):
        harness.wait(100 * number, 10, number=number)
        harness.look(100 * number + 50)
    harness.start()
    assert harness.today(3000) == 200
    journal.remove_session(str(harness.state_dir), "s")
    assert harness.today(3000) == 200
    assert sum_waits_today(harness.look(3000), [], MIDNIGHT + 3000) == 0
    harness.start()
    assert harness.today(3000) == 200


def test_the_sum_of_a_forgotten_session_stays_with_its_project(harness: WaitHarness) -> None:
    harness.wait(1000, 60)
    harness.look(2000, Session(session_id="s", project=Project(root="/home/user/shop")))
    harness.states.states.clear()
    harness.waits.update({}, {}, {"s"}, MIDNIGHT + 2100)
    assert harness.waits.gone == {"/home/user/shop": (((MIDNIGHT + 1000, MIDNIGHT + 1060),),)}


def test_the_sum_restarts_at_midnight(harness: WaitHarness) -> None:
    harness.wait(-100, 50)
    harness.wait(-1000, 60, "t")
    assert harness.today(-1) == 110
    assert harness.today(0) == 0
    assert harness.kept()["days"] == {}


def test_an_end_without_an_event_counts_from_when_it_was_noticed(harness: WaitHarness) -> None:
    """Esc in the pane: the registry turns idle; hours later a prompt comes."""
    harness.send_hook(NOON, "PermissionRequest", **ASK)
    harness.look(NOON + 5, Session(session_id="s", waits=(WAIT,)))
    idle = Session(session_id="s", evidence=Evidence(source="registry", at=MIDNIGHT + NOON + 20))
    assert harness.today(NOON + 22, idle) == 20
    harness.start()
    assert harness.today(NOON + 3600, idle) == 20
    harness.send_hook(NOON + 7200, "UserPromptSubmit", prompt_kind="human", prompt="again")
    assert harness.today(NOON + 7300, idle) == 20


def test_an_end_while_no_app_ran_is_taken_from_the_status(harness: WaitHarness) -> None:
    harness.send_hook(NOON, "PermissionRequest", **ASK)
    idle = Session(session_id="s", evidence=Evidence(source="registry", at=MIDNIGHT + NOON + 20))
    assert harness.today(NOON + 3600, idle) == 20
    lost = Session(session_id="s", liveness=Liveness.LOST, updated_at=MIDNIGHT + NOON + 3)
    harness.waits._seen.clear()
    assert harness.today(NOON + 3600, lost) == 3


def test_a_wait_that_only_seemed_over_continues(harness: WaitHarness) -> None:
    harness.send_hook(NOON, "PermissionRequest", **ASK)
    waiting = Session(session_id="s", waits=(WAIT,))
    for at in (5, 10, 15):
        harness.look(NOON + at, waiting if at != 10 else Session(session_id="s"))
    harness.send_hook(NOON + 100, "PostToolBatch")
    assert harness.today(NOON + 101, Session(session_id="s")) == 100


def test_a_dialog_that_no_hook_describes_counts_as_it_was_seen(harness: WaitHarness) -> None:
    dialog = Session(session_id="x", waits=(Wait(key="registry|dialog open", since=MIDNIGHT + NOON),))
    harness.look(NOON + 1, dialog)
    assert harness.today(NOON + 31, Session(session_id="x")) == 31
    assert harness.today(NOON + 99, Session(session_id="x")) == 31


def test_two_apps_share_the_ends_they_noticed(harness: WaitHarness, tmp_path: Path) -> None:
    other = WaitHarness(tmp_path / "state")
    harness.look(NOON + 1, Session(session_id="x", waits=(WAIT,)))
    harness.look(NOON + 11, Session(session_id="x"))
    assert other.today(NOON + 20, Session(session_id="x")) == 11


def test_a_refresh_reads_one_portion_and_is_behind(harness: WaitHarness) -> None:
    for name in "abc":
        harness.wait(1000, 60, name)
    harness.start(portion=1)
    assert [(harness.today(2000), harness.waits.is_behind) for _ in range(4)] == [
        (60, True),
        (120, True),
        (180, False),
        (180, False),
    ]


def test_a_command_writes_no_file_and_an_idle_app_writes_it_once(harness: WaitHarness) -> None:
    harness.wait(1000, 60)
    harness.start(keeps=False)
    assert harness.today(2000) == 60
    assert not (harness.state_dir / "app").exists()
    harness.start()
    harness.look(2000)
    file = harness.state_dir / "app" / "waits.json"
    before = (file.stat().st_ino, file.stat().st_mode & 0o777)
    for at in range(5):
        harness.look(2010 + at)
    assert (file.stat().st_ino, file.stat().st_mode & 0o777) == before == (before[0], 0o600)


@pytest.mark.parametrize("text", ["", "[]", '{"seen": [["s"]]}', '{"days": {"s": {"root": 1}}}', "\0"])
def test_a_damaged_file_only_loses_the_saved_sums(harness: WaitHarness, text: str) -> None:
    (harness.state_dir / "app").mkdir()
    (harness.state_dir / "app" / "waits.json").write_text(text)
    harness.wait(1000, 60)
    assert harness.today(2000) == 60


def test_the_file_is_bounded(harness: WaitHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = KEEP // 10
    monkeypatch.setattr(time_waited, "KEEP", keep)
    for number in range(keep + 20):
        name = f"s{number}"
        harness.look(NOON + 2 * number, Session(session_id=name, waits=(Wait(key="k", since=MIDNIGHT + NOON - 1),)))
        harness.look(NOON + 2 * number + 1, Session(session_id=name))
    kept = harness.kept()
    assert (len(kept["seen"]), len(kept["days"])) == (keep, keep)
    assert kept["seen"][-1][0] == f"s{keep + 19}"
    assert measure_wait_today(harness.look(NOON + 9999, Session(session_id="other"))[0], MIDNIGHT + NOON + 9999) == 0
