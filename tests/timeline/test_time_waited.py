"""The wait ledger on disk: journals of the real hook code, restarts, forgotten journals, ends that no event tells, midnight."""

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


class Desk:
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

    def hook(self, at: float, kind: str, session: str = "s", **fields: Any) -> None:
        journal.record_event(
            str(self.state_dir), {"at": MIDNIGHT + at, "session_id": session, "event": kind, "pid": 7, **fields}
        )

    def wait(self, at: float, seconds: float, session: str = "s", number: int = 1) -> None:
        self.hook(at, "PermissionRequest", session, **ASK | {"hash": f"h{number}"})
        self.hook(at + seconds, "PostToolBatch", session)

    def look(self, at: float, *sessions: Session) -> list[Session]:
        self.states.refresh()
        given = sessions or [Session(session_id=key) for key in sorted(self.states.states)]
        return self.waits.add_waits(self.states.states, given, MIDNIGHT + at)

    def today(self, at: float, *sessions: Session) -> float:
        """Seconds of all, those that are gone included."""
        found = self.look(at, *sessions)
        return sum_waits_today(found, [spans for each in self.waits.gone.values() for spans in each], MIDNIGHT + at)

    def kept(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.state_dir / "app" / "waits.json").read_text())
        return found


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "state")


def test_waits_of_today_are_summed_and_followed(desk: Desk) -> None:
    desk.wait(-500, 100)
    desk.wait(-50, 80)
    desk.wait(1000, 60)
    assert desk.today(2000) == 90
    desk.wait(3000, 5)
    assert desk.today(4000) == 95
    desk.hook(5000, "PermissionRequest", **ASK)
    open_now = Session(session_id="s", waits=(Wait(key="|Bash|h1", since=MIDNIGHT + 5000),))
    assert desk.today(5010, open_now) == 105


def test_a_restart_counts_nothing_twice(desk: Desk) -> None:
    desk.wait(1000, 60)
    assert desk.today(2000) == 60
    desk.start()
    assert desk.today(2000) == 60


def test_what_is_rotated_away_or_forgotten_stays_in_the_sum(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "ROTATE_SIZE", 600)
    for number in range(20):
        desk.wait(100 * number, 10, number=number)
        desk.look(100 * number + 50)
    desk.start()
    assert desk.today(3000) == 200
    journal.remove_session(str(desk.state_dir), "s")
    assert desk.today(3000) == 200
    assert sum_waits_today(desk.look(3000), [], MIDNIGHT + 3000) == 0
    desk.start()
    assert desk.today(3000) == 200


def test_the_sum_of_a_forgotten_session_stays_with_its_project(desk: Desk) -> None:
    desk.wait(1000, 60)
    desk.look(2000, Session(session_id="s", project=Project(root="/home/user/shop")))
    desk.states.states.clear()
    desk.waits.add_waits({}, [], MIDNIGHT + 2100)
    assert desk.waits.gone == {"/home/user/shop": (((MIDNIGHT + 1000, MIDNIGHT + 1060),),)}


def test_yesterday_is_over_at_midnight(desk: Desk) -> None:
    desk.wait(-100, 50)
    desk.wait(-1000, 60, "t")
    assert desk.today(-1) == 110
    assert desk.today(0) == 0
    assert desk.kept()["days"] == {}


def test_an_end_that_no_event_tells_counts_from_when_it_was_seen(desk: Desk) -> None:
    """Esc in the pane: the registry turns idle; hours later a prompt comes."""
    desk.hook(NOON, "PermissionRequest", **ASK)
    desk.look(NOON + 5, Session(session_id="s", waits=(WAIT,)))
    idle = Session(session_id="s", evidence=Evidence(source="registry", at=MIDNIGHT + NOON + 20))
    assert desk.today(NOON + 22, idle) == 20
    desk.start()
    assert desk.today(NOON + 3600, idle) == 20
    desk.hook(NOON + 7200, "UserPromptSubmit", prompt_kind="human", prompt="again")
    assert desk.today(NOON + 7300, idle) == 20


def test_an_end_while_no_app_ran_is_taken_from_the_status(desk: Desk) -> None:
    desk.hook(NOON, "PermissionRequest", **ASK)
    idle = Session(session_id="s", evidence=Evidence(source="registry", at=MIDNIGHT + NOON + 20))
    assert desk.today(NOON + 3600, idle) == 20
    lost = Session(session_id="s", liveness=Liveness.LOST, updated_at=MIDNIGHT + NOON + 3)
    desk.waits._seen.clear()
    assert desk.today(NOON + 3600, lost) == 3


def test_a_wait_that_only_seemed_over_goes_on(desk: Desk) -> None:
    desk.hook(NOON, "PermissionRequest", **ASK)
    waiting = Session(session_id="s", waits=(WAIT,))
    for at in (5, 10, 15):
        desk.look(NOON + at, waiting if at != 10 else Session(session_id="s"))
    desk.hook(NOON + 100, "PostToolBatch")
    assert desk.today(NOON + 101, Session(session_id="s")) == 100


def test_a_dialog_that_no_hook_describes_counts_as_it_was_seen(desk: Desk) -> None:
    dialog = Session(session_id="x", waits=(Wait(key="registry|dialog open", since=MIDNIGHT + NOON),))
    desk.look(NOON + 1, dialog)
    assert desk.today(NOON + 31, Session(session_id="x")) == 31
    assert desk.today(NOON + 99, Session(session_id="x")) == 31


def test_two_apps_share_what_they_saw(desk: Desk, tmp_path: Path) -> None:
    other = Desk(tmp_path / "state")
    desk.look(NOON + 1, Session(session_id="x", waits=(WAIT,)))
    desk.look(NOON + 11, Session(session_id="x"))
    assert other.today(NOON + 20, Session(session_id="x")) == 11


def test_a_look_reads_its_portion_and_is_behind(desk: Desk) -> None:
    for name in "abc":
        desk.wait(1000, 60, name)
    desk.start(portion=1)
    assert [(desk.today(2000), desk.waits.is_behind) for _ in range(4)] == [
        (60, True),
        (120, True),
        (180, False),
        (180, False),
    ]


def test_a_command_writes_nothing_and_an_idle_app_nothing_more(desk: Desk) -> None:
    desk.wait(1000, 60)
    desk.start(keeps=False)
    assert desk.today(2000) == 60
    assert not (desk.state_dir / "app").exists()
    desk.start()
    desk.look(2000)
    file = desk.state_dir / "app" / "waits.json"
    before = (file.stat().st_ino, file.stat().st_mode & 0o777)
    for at in range(5):
        desk.look(2010 + at)
    assert (file.stat().st_ino, file.stat().st_mode & 0o777) == before == (before[0], 0o600)


@pytest.mark.parametrize("text", ["", "[]", '{"seen": [["s"]]}', '{"days": {"s": {"root": 1}}}', "\0"])
def test_a_damaged_file_costs_the_memory_alone(desk: Desk, text: str) -> None:
    (desk.state_dir / "app").mkdir()
    (desk.state_dir / "app" / "waits.json").write_text(text)
    desk.wait(1000, 60)
    assert desk.today(2000) == 60


def test_the_file_is_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = KEEP // 10
    monkeypatch.setattr(time_waited, "KEEP", keep)
    for number in range(keep + 20):
        name = f"s{number}"
        desk.look(NOON + 2 * number, Session(session_id=name, waits=(Wait(key="k", since=MIDNIGHT + NOON - 1),)))
        desk.look(NOON + 2 * number + 1, Session(session_id=name))
    kept = desk.kept()
    assert (len(kept["seen"]), len(kept["days"])) == (keep, keep)
    assert kept["seen"][-1][0] == f"s{keep + 19}"
    assert measure_wait_today(desk.look(NOON + 9999, Session(session_id="other"))[0], MIDNIGHT + NOON + 9999) == 0
