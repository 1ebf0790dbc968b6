"""From disk to fleet: several sources, unreadable files, hidden sessions, large transcripts, and the time waited."""

import asyncio
import json
import os
import shutil
import subprocess
import threading
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from atm_hooks import journal, sample
from atm_tui.config import Config
from atm_tui.model.session import Liveness, State
from atm_tui.monitor import reading, schedule
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources import watch
from atm_tui.view.status_text import describe_activity
from tests.support.followed_machine import HOUR, Machine, refresh_session
from tests.support.waiting import PATIENCE

# --- several sources


def test_a_change_in_the_registry_makes_the_transcript_be_read(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("")
    machine.send_hook(1, "SessionStart", source="startup", transcript_path=str(path))
    machine.send_hook(2, "UserPromptSubmit", prompt="go on", prompt_id="p1")
    machine.write_registry(status="busy", statusUpdatedAt=1000 * (machine.start + 2.1))
    app = machine.make_monitor()
    assert describe_activity(refresh_session(app).activity) == "thinking"
    at = datetime.fromtimestamp(machine.start + 4, tz=UTC).isoformat().replace("+00:00", "Z")
    said = [{"type": "text", "text": "[Request interrupted by user]"}]
    path.write_text(json.dumps({"type": "user", "timestamp": at, "message": {"role": "user", "content": said}}) + "\n")
    machine.write_registry(status="idle", statusUpdatedAt=1000 * (machine.start + 4.1))
    session = refresh_session(app)
    assert (describe_activity(session.activity), session.evidence.source) == ("interrupted", "transcript")


# --- in portions


def test_many_sessions_are_read_in_slices_those_that_run_first(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "FIRST_STATES", 2)
    monkeypatch.setattr(reading, "MORE_STATES", 2)
    for number in range(5):
        machine.send_turn(f"s{number}")
        machine.send_hook(5.0, "SessionEnd", f"s{number}", reason="other")
        os.utime(machine.state_dir / "sessions" / f"s{number}.json", (machine.start + number, machine.start + number))
    machine.write_registry("s0", status="busy")
    app = machine.make_monitor(portion=1 << 20)
    app.refresh()
    assert (set(app.fleet.sessions), app.fleet.unread) == ({"s0", "s4"}, 3)
    while app.fleet.unread:
        assert app.refresh()
    assert len(app.fleet.sessions) == 5
    whole = machine.make_monitor()
    whole.refresh()
    assert (len(whole.fleet.sessions), whole.fleet.unread) == (5, 0), "what reads once reads all"


# --- what can't be read


def test_an_unreadable_state_file_keeps_its_last_good_value_with_a_reason(machine: Machine) -> None:
    machine.send_turn()
    app = machine.make_monitor()
    assert refresh_session(app).problem is None
    path = machine.state_dir / "sessions" / "s.json"
    good = path.read_bytes()
    path.write_bytes(good[:40])
    session = refresh_session(app)
    assert session.problem
    assert session.problem.endswith(f" ({path})"), "the reason first: a row has no room for both"
    assert (session.state, describe_activity(session.activity), session.turns) == (State.IDLE, "finished", 1)
    assert app.fleet.unreadable == ()
    path.write_bytes(good)
    assert refresh_session(app).problem is None


def test_a_state_file_that_was_never_readable_is_a_row_with_a_reason(machine: Machine) -> None:
    machine.send_turn()
    path = machine.state_dir / "sessions" / "odd.json"
    path.write_text('{"schema": 99, "session_id": "odd"}')
    app = machine.make_monitor()
    app.refresh()
    (row,) = app.fleet.unreadable
    assert row.path == str(path)
    assert "update atm-tui" in row.problem
    assert list(app.fleet.sessions) == ["s"]
    path.unlink()
    app.refresh()
    assert app.fleet.unreadable == ()


def test_a_state_folder_deleted_and_recreated_is_read_again(machine: Machine) -> None:
    machine.send_turn()
    app = machine.make_monitor()
    app.refresh()
    shutil.rmtree(machine.state_dir)
    app.refresh()
    assert dict(app.fleet.sessions) == {}
    machine.send_turn("after")
    app.refresh()
    assert list(app.fleet.sessions) == ["after"]


# --- what is a session


def test_a_registry_entry_with_a_reused_pid_is_not_a_session(machine: Machine) -> None:
    machine.write_registry(status="busy", procStart="1", updatedAt=1.0, statusUpdatedAt=1.0)
    app = machine.make_monitor()
    app.refresh()
    assert dict(app.fleet.sessions) == {}


def test_a_session_known_only_from_its_statusline_has_figures_but_no_events(machine: Machine) -> None:
    """Hooks are off, as with --bare, and the statusLine still runs."""
    journal.prepare_folders(str(machine.state_dir))
    told = {
        "session_id": "s",
        "cwd": "/home/user/work/shop",
        "cost": {"total_cost_usd": 0.5},
        "model": {"id": "claude-opus-5-5"},
    }
    journal.record_event(
        str(machine.state_dir),
        sample.parse_sample(json.dumps(told).encode(), machine.start + 1, {"CLAUDE_PID": str(machine.pid)}),
    )
    machine.write_registry(status="busy")
    app = machine.make_monitor()
    session = refresh_session(app)
    assert (session.is_reported, session.state, describe_activity(session.activity), session.evidence.source) == (
        False,
        State.WORKING,
        "thinking",
        "registry",
    )
    assert session.cost.usd == 0.5
    assert app.fleet.health.without_hooks == 1
    (machine.config_dir / "sessions" / f"{machine.pid}.json").unlink()
    session = refresh_session(app)
    assert session.since == machine.start + 1
    machine.now += HOUR
    assert refresh_session(app) == session


def test_transcripts_that_cannot_be_read_are_a_notice(machine: Machine) -> None:
    """What they cost is in no sum."""
    folder = machine.config_dir / "projects" / "-shop"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").symlink_to("s.jsonl")  # a link to itself can't be opened, by root either
    app = machine.make_monitor()
    assert list(app.spending.count_today())[-1] == 0.0
    app.refresh()
    (notice,) = [each for each in app.fleet.health.notices if str(folder) in each]
    assert notice.startswith(f"{folder}/s.jsonl can't be read: costs lack what they hold.")


def test_the_worktrees_of_a_repository_are_one_project(machine: Machine, tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    main, linked = tmp_path / "shop", tmp_path / "shop-fix"
    subprocess.run([*git, "init", "-q", "-b", "main", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], cwd=main, check=True)
    subprocess.run([*git, "worktree", "add", "-q", "-b", "fix", str(linked)], cwd=main, check=True)
    machine.send_hook(1, "SessionStart", "a", source="startup", cwd=str(main))
    machine.send_hook(1, "SessionStart", "b", source="startup", cwd=str(linked))
    app = machine.make_monitor()
    one, two = refresh_session(app, "a").project, refresh_session(app, "b").project
    assert one.root == two.root
    assert (one.branch, two.branch) == ("main", "fix")
    assert (one.worktree, two.worktree) == (None, "shop-fix")


# --- hidden sessions


@pytest.mark.parametrize(
    ("config", "shown"),
    [
        (Config(), ["back", "head", "inter"]),
        (Config(hide_headless=True), ["back", "inter"]),
        (Config(hide_background=True), ["head", "inter"]),
        (Config(hide_headless=True, hide_background=True), ["inter"]),
    ],
)
def test_sessions_without_a_screen_can_be_hidden(machine: Machine, config: Config, shown: list[str]) -> None:
    with subprocess.Popen(["sleep", "60"]) as one, subprocess.Popen(["sleep", "60"]) as two:
        machine.write_registry("inter", kind="interactive", entrypoint="cli")
        machine.write_registry("head", kind="interactive", entrypoint="sdk-cli", pid=one.pid)
        machine.write_registry("back", kind="bg", entrypoint="cli", pid=two.pid)
        app = machine.make_monitor(config)
        app.refresh()
        one.kill()
        two.kill()
    assert sorted(app.fleet.sessions) == shown
    assert app.fleet.health.without_hooks == len(shown)


# --- what changes


async def test_the_end_of_a_client_triggers_a_refresh_and_the_session_is_lost(
    machine: Machine, client: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "HEARTBEAT", 10 * PATIENCE)
    for name in ("SWEEP_INTERVAL", "CALM_SWEEP_INTERVAL"):
        monkeypatch.setattr(schedule, name, 10 * PATIENCE)
    machine.send_hook(1, "SessionStart", source="startup")
    app, stop = LiveMonitor(machine.state_dir, [machine.config_dir], Config()), threading.Event()
    assert refresh_session(app).liveness is Liveness.LIVE
    is_first = True
    async with asyncio.timeout(PATIENCE):
        async for _ in app.watch(stop):
            await asyncio.to_thread(app.refresh)
            if app.fleet.sessions["s"].liveness is Liveness.LOST:
                break
            if is_first:
                asyncio.get_running_loop().call_later(0.2, client.kill)
            is_first = False


async def test_processes_whose_end_is_reported_are_known_to_sweeps_as_long_as_it_is(
    machine: Machine, client: subprocess.Popen[bytes]
) -> None:
    machine.send_hook(1, "SessionStart", source="startup")
    app = LiveMonitor(machine.state_dir, [machine.config_dir], Config())
    async with asyncio.timeout(PATIENCE), aclosing(app.watch(threading.Event())) as hints:
        async for _ in hints:
            await asyncio.to_thread(app.refresh)
            if client.pid in app.reader.processes.followed:
                break
            app._nudge()
    assert client.pid not in app.reader.processes.followed


def test_a_large_transcript_is_read_in_portions_over_several_refreshes(machine: Machine) -> None:
    def answer(session: str, number: int) -> str:
        usage = {"input_tokens": 1_000, "output_tokens": 1}
        message = {"id": f"m{session}{number}", "model": "claude-opus-5-5", "usage": usage, "content": "x" * 50_000}
        return json.dumps({"type": "assistant", "requestId": f"r{session}{number}", "message": message}) + "\n"

    paths = {name: machine.config_dir / "projects" / "p" / f"{name}.jsonl" for name in ("large", "small")}
    for name, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(answer(name, n) for n in range(200 if name == "large" else 1)))
        machine.send_hook(1, "SessionStart", name, source="startup", transcript_path=str(path))
    app = machine.make_monitor(portion=1 << 20)
    first = refresh_session(app, "large")
    assert first.cost.usd is None, "not known, rather than a part of it"
    assert first.cost.is_pending
    assert first.context.is_pending
    assert app.fleet.compute_totals().is_pending
    refreshes = 1
    while refresh_session(app, "large").cost.usd is None or refresh_session(app, "small").cost.usd is None:
        refreshes += 1
        assert refreshes < 20
    assert refreshes > 3
    assert not app.fleet.compute_totals().is_pending
    whole = machine.make_monitor()
    assert refresh_session(whole, "large") == refresh_session(app, "large")
    assert refresh_session(whole, "small") == refresh_session(app, "small")


def test_a_transcript_path_from_before_a_resume_is_replaced_by_the_sessions_own(
    machine: Machine, tmp_path: Path
) -> None:
    folder = tmp_path / "projects" / "x"
    folder.mkdir(parents=True)
    (folder / "old.jsonl").write_text("")
    machine.send_hook(1.0, "SessionStart", source="resume", transcript_path=str(folder / "old.jsonl"))
    app = machine.make_monitor()
    assert refresh_session(app).transcript_path == str(folder / "old.jsonl")
    (folder / "s.jsonl").write_text(
        json.dumps({"type": "custom-title", "customTitle": "my name", "sessionId": "s"}) + "\n"
    )
    assert refresh_session(app).title == "my name"


# --- the wait ledger


def test_the_time_waited_is_saved_once_an_app_follows(machine: Machine) -> None:
    app = machine.make_monitor()
    machine.send_hook(1, "PermissionRequest", tool_name="Bash", tool_input={"command": "ls"})
    assert refresh_session(app).waited == ()
    machine.send_hook(4, "PostToolBatch")
    assert refresh_session(app).waited == ((machine.start + 1, machine.start + 4),)
    assert not (machine.state_dir / "app" / "waits.json").exists()
    stop = threading.Event()
    stop.set()
    asyncio.run(anext(app.watch(stop), None))  # type: ignore[arg-type]
    app.refresh()
    assert (machine.state_dir / "app" / "waits.json").exists()
    journal.remove_session(str(machine.state_dir), "s")
    app.refresh()
    assert app.fleet.measure_waited(machine.now) == pytest.approx(3, abs=0.01)
