"""Config folders: created later, named by a session, spelled in several ways, impossible."""

import json
from pathlib import Path

import pytest

from atm_hooks import journal, sample
from atm_tui.config import Config
from atm_tui.cost.limits import find_accounts
from atm_tui.model.session import Liveness, State
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.status_text import describe_activity
from tests.support.followed_machine import HOUR, Machine, refresh_session


def test_a_config_folder_that_is_created_later_is_read(machine: Machine) -> None:
    app = machine.make_monitor()
    app.refresh()
    assert dict(app.fleet.sessions) == {}
    machine.write_registry(status="busy", cwd="/home/user/work/shop")
    session = refresh_session(app)
    assert (session.is_reported, session.state, session.liveness) == (False, State.WORKING, Liveness.LIVE)
    assert app.fleet.health.without_hooks == 1


def test_a_config_folder_that_a_session_names_is_read_too(machine: Machine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    machine.send_hook(1, "SessionStart", source="startup", transcript_path=f"{other}/projects/-shop/s.jsonl")
    machine.config_dir = other
    machine.write_registry(status="waiting", waitingFor="dialog open")
    machine.config_dir = tmp_path / "claude"
    app = machine.make_monitor()
    assert describe_activity(refresh_session(app).activity) == "dialog"


def test_all_spellings_of_a_config_folder_are_one_account(machine: Machine, tmp_path: Path) -> None:
    """A link, a folder on the way that is one, dots and doubled slashes; the first spelling is kept."""
    machine.config_dir.mkdir()
    link, parent = tmp_path / "link", tmp_path / "parent"
    link.symlink_to(machine.config_dir)
    parent.symlink_to(tmp_path)
    spellings = (machine.config_dir, link, f"{parent}/claude", f"{tmp_path}/./x/../claude", f"{tmp_path}//claude")
    (tmp_path / "x").mkdir()
    for number, folder in enumerate(spellings):
        path = f"{folder}/projects/-shop/s{number}.jsonl"
        machine.send_hook(1 + number, "SessionStart", f"s{number}", source="startup", transcript_path=path)
        limits = {"five_hour": {"used_percentage": 10 + number, "resets_at": machine.start + HOUR}}
        given = {"session_id": f"s{number}", "cwd": "/w", "transcript_path": path, "rate_limits": limits}
        event = sample.parse_sample(json.dumps(given).encode(), machine.start + 6, {})
        journal.record_event(str(machine.state_dir), event)
    app = LiveMonitor(machine.state_dir, [link, machine.config_dir], Config(), now=lambda: machine.now)
    app.refresh()
    assert app.reader.config_dirs == [link]
    assert {each.config_dir for each in app.fleet.sessions.values()} == {str(link)}
    (account,) = find_accounts(app.fleet.sessions.values())
    assert account.five_hour is not None
    assert account.five_hour.percent == 14


def test_relative_config_folders_are_made_absolute(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(machine.config_dir.parent)
    app = LiveMonitor(machine.state_dir, [Path("claude")], Config(), now=lambda: machine.now)
    assert app.reader.config_dirs == [machine.config_dir]


def test_an_impossible_config_folder_does_not_break_the_refresh(machine: Machine) -> None:
    machine.send_hook(0, "SessionStart", source="startup", transcript_path="/abc/projects/x/s.jsonl")
    state = machine.state_dir / "sessions" / "s.json"
    state.write_text(state.read_text().replace("/abc", r"/a\u0000c"))
    app = machine.make_monitor()
    app.refresh()
    app.refresh()
    assert list(app.fleet.sessions) == ["s"]


def test_missing_hooks_are_reported_only_for_config_folders_with_live_sessions(
    machine: Machine, tmp_path: Path
) -> None:
    old = tmp_path / "old" / "projects" / "x" / "s.jsonl"
    machine.send_hook(1.0, "SessionStart", source="startup", transcript_path=str(old))
    app = machine.make_monitor()
    refresh_session(app)
    assert any(str(tmp_path / "old") in notice for notice in app.fleet.health.notices)
    machine.send_hook(2.0, "SessionEnd", reason="other")
    refresh_session(app)
    assert not any(str(tmp_path / "old") in notice for notice in app.fleet.health.notices)
