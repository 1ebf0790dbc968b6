"""From disk to fleet: seen and unseen sessions, housekeeping, unreadable files, and folders that come and go."""

import asyncio
import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal, payload, sample
from atm_tui.config import Config
from atm_tui.cost.limits import find_accounts
from atm_tui.model.session import Liveness, Session, State
from atm_tui.monitor import housekeeping, reading
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources import watch
from atm_tui.text import format_age
from atm_tui.view.status_text import describe_activity
from tests.support.waiting import PATIENCE

HOUR = 3600.0


class Machine:
    """A state folder, a config folder, a clock, and a process that stands for a client. Times are seconds after its start."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.state_dir = folder / "state"
        self.config_dir = folder / "claude"
        self.pid = pid
        self.start = time.time()
        self.now = self.start + 10
        self.awake = 0.0

    def app(self, config: Config | None = None, **given: Any) -> LiveMonitor:
        return LiveMonitor(self.state_dir, [self.config_dir], config or Config(), now=lambda: self.now, **given)

    def send_hook(self, t: float, event: str, session: str = "s", *, pid: int | None = None, **fields: Any) -> None:
        journal.prepare_folders(str(self.state_dir))
        cwd = fields.pop("cwd", "/home/user/work/shop")
        data = {"hook_event_name": event, "session_id": session, "cwd": cwd, **fields}
        environ = {"CLAUDE_PID": str(pid or self.pid)}
        journal.record_event(
            str(self.state_dir), payload.parse_event(json.dumps(data).encode(), self.start + t, environ)
        )

    def finished(self, session: str = "s", t: float = 1.0) -> None:
        self.send_hook(t, "SessionStart", session, source="startup")
        self.send_hook(t + 1, "UserPromptSubmit", session, prompt="go on", prompt_id=f"p{t}")
        self.send_hook(t + 2, "Stop", session, background_tasks=[])

    def registry(self, session: str = "s", **given: Any) -> None:
        folder = self.config_dir / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        at = 1000 * (self.start + 1)
        entry = {
            "pid": self.pid,
            "sessionId": session,
            "startedAt": at,
            "updatedAt": at,
            "statusUpdatedAt": at,
            **given,
        }
        (folder / f"{entry['pid']}.json").write_text(json.dumps(entry))

    def files(self, session: str = "s") -> list[str]:
        return sorted(path.name for path in self.state_dir.glob(f"*/{session}*"))


@pytest.fixture
def client() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


@pytest.fixture
def machine(tmp_path: Path, client: subprocess.Popen[bytes]) -> Machine:
    return Machine(tmp_path, client.pid)


def refresh_session(app: LiveMonitor, session: str = "s") -> Session:
    app.refresh()
    return app.fleet.sessions[session]


# --- unseen


def test_a_finished_session_is_unseen_until_looked_at_even_after_a_restart(machine: Machine) -> None:
    machine.finished()
    app = machine.app()
    assert refresh_session(app).unseen
    assert refresh_session(machine.app()).unseen
    app.mark_seen("s")
    assert not refresh_session(app).unseen
    assert not refresh_session(machine.app()).unseen
    machine.send_hook(12, "UserPromptSubmit", prompt="more", prompt_id="p2")
    machine.send_hook(13, "Stop", background_tasks=[])
    machine.now += 5
    assert refresh_session(machine.app()).unseen


def test_a_look_before_the_clock_was_set_back_does_not_count(machine: Machine) -> None:
    machine.finished()
    app = machine.app()
    app.refresh()
    machine.now += HOUR
    app.mark_seen("s")
    machine.now -= HOUR
    assert refresh_session(app).unseen
    app.mark_seen("s")
    assert not refresh_session(app).unseen


def test_two_apps_share_what_was_seen(machine: Machine) -> None:
    machine.finished("a")
    machine.finished("b")
    one, two = machine.app(), machine.app()
    for app in (one, two):
        app.refresh()
    one.mark_seen("a")
    two.mark_seen("b")
    for app in (one, two):
        assert not refresh_session(app, "a").unseen
        assert not refresh_session(app, "b").unseen


def test_a_wait_is_unseen_and_the_users_own_actions_are_not(machine: Machine) -> None:
    machine.finished()
    app = machine.app()
    app.refresh()
    app.mark_seen("s")
    machine.send_hook(11, "UserPromptSubmit", prompt="more", prompt_id="p2")
    machine.send_hook(12, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t")
    machine.now += 3
    assert not refresh_session(app).unseen
    machine.send_hook(
        12.1, "PermissionRequest", tool_name="Bash", tool_input={"command": "ls"}, permission_mode="default"
    )
    session = refresh_session(app)
    assert (session.state, session.unseen) == (State.NEEDS_YOU, True)
    app.mark_seen("s")
    assert not refresh_session(app).unseen
    at = 1000 * (machine.start + 12.5)
    machine.registry(status="idle", statusUpdatedAt=at)
    session = refresh_session(app)
    assert (describe_activity(session.activity), session.unseen) == ("interrupted", False)


# --- several sources


def test_a_change_in_the_registry_makes_the_transcript_be_read(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("")
    machine.send_hook(1, "SessionStart", source="startup", transcript_path=str(path))
    machine.send_hook(2, "UserPromptSubmit", prompt="go on", prompt_id="p1")
    machine.registry(status="busy", statusUpdatedAt=1000 * (machine.start + 2.1))
    app = machine.app()
    assert describe_activity(refresh_session(app).activity) == "thinking"
    at = datetime.fromtimestamp(machine.start + 4, tz=UTC).isoformat().replace("+00:00", "Z")
    said = [{"type": "text", "text": "[Request interrupted by user]"}]
    path.write_text(json.dumps({"type": "user", "timestamp": at, "message": {"role": "user", "content": said}}) + "\n")
    machine.registry(status="idle", statusUpdatedAt=1000 * (machine.start + 4.1))
    session = refresh_session(app)
    assert (describe_activity(session.activity), session.evidence.source) == ("interrupted", "transcript")


# --- housekeeping


def test_old_files_of_ended_and_lost_sessions_are_removed_but_never_of_live_ones(machine: Machine) -> None:
    machine.finished("live")
    machine.finished("ended")
    machine.send_hook(5, "SessionEnd", "ended", reason="logout")
    with subprocess.Popen(["true"]) as gone:
        pass
    machine.send_hook(1, "SessionStart", "lost", pid=gone.pid, source="startup")
    app = machine.app(Config(forget_after=2.0))
    app.refresh()
    assert {key: session.liveness for key, session in app.fleet.sessions.items()} == {
        "live": Liveness.LIVE,
        "ended": Liveness.ENDED,
        "lost": Liveness.LOST,
    }
    machine.now = machine.start + 1.9 * HOUR
    app.refresh()
    assert machine.files("ended")
    machine.now = machine.start + 2.1 * HOUR
    app.refresh()
    app.refresh()
    assert list(app.fleet.sessions) == ["live"]
    assert machine.files("ended") == machine.files("lost") == []
    assert machine.files("live")


def test_many_old_files_are_removed_in_parts(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "MOST_REMOVED", 2)
    for number in range(5):
        machine.finished(f"s{number}")
        machine.send_hook(5.0, "SessionEnd", f"s{number}", reason="other")
    app = machine.app(Config(forget_after=2.0))
    app.refresh()
    machine.now += 3 * HOUR
    left = []
    for _ in range(3):
        app.refresh()
        left.append(len(list((machine.state_dir / "sessions").iterdir())))
    assert left == [3, 1, 0]


def test_many_sessions_are_read_in_slices_those_that_run_first(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "FIRST_STATES", 2)
    monkeypatch.setattr(reading, "MORE_STATES", 2)
    for number in range(5):
        machine.finished(f"s{number}")
        machine.send_hook(5.0, "SessionEnd", f"s{number}", reason="other")
        os.utime(machine.state_dir / "sessions" / f"s{number}.json", (machine.start + number, machine.start + number))
    machine.registry("s0", status="busy")
    app = machine.app(portion=1 << 20)
    app.refresh()
    assert (set(app.fleet.sessions), app.fleet.unread) == ({"s0", "s4"}, 3)
    while app.fleet.unread:
        assert app.refresh()
    assert len(app.fleet.sessions) == 5
    whole = machine.app()
    whole.refresh()
    assert (len(whole.fleet.sessions), whole.fleet.unread) == (5, 0), "what reads once reads all"


def test_temporary_files_of_killed_hooks_are_removed_when_they_are_old(machine: Machine) -> None:
    machine.finished()
    old, young = machine.state_dir / "tmp" / "old", machine.state_dir / "tmp" / "young"
    old.write_text("half")
    young.write_text("half")
    os.utime(old, (machine.now - 25 * HOUR,) * 2)
    os.utime(young, (machine.now - HOUR,) * 2)
    machine.app().refresh()
    assert not old.exists()
    assert young.exists()


def test_an_unreadable_state_file_keeps_its_last_good_value_with_a_reason(machine: Machine) -> None:
    machine.finished()
    app = machine.app()
    assert refresh_session(app).problem is None
    path = machine.state_dir / "sessions" / "s.json"
    good = path.read_bytes()
    path.write_bytes(good[:40])
    session = refresh_session(app)
    assert session.problem
    assert str(path) in session.problem
    assert (session.state, describe_activity(session.activity), session.turns) == (State.IDLE, "finished", 1)
    assert app.fleet.unreadable == ()
    path.write_bytes(good)
    assert refresh_session(app).problem is None


def test_a_state_file_that_was_never_readable_is_a_row_with_a_reason(machine: Machine) -> None:
    machine.finished()
    path = machine.state_dir / "sessions" / "odd.json"
    path.write_text('{"schema": 99, "session_id": "odd"}')
    app = machine.app()
    app.refresh()
    (row,) = app.fleet.unreadable
    assert row.path == str(path)
    assert "update atm-tui" in row.problem
    assert list(app.fleet.sessions) == ["s"]
    path.unlink()
    app.refresh()
    assert app.fleet.unreadable == ()


def test_a_state_folder_deleted_and_recreated_is_read_again(machine: Machine) -> None:
    machine.finished()
    app = machine.app()
    app.refresh()
    shutil.rmtree(machine.state_dir)
    app.refresh()
    assert dict(app.fleet.sessions) == {}
    machine.finished("after")
    app.refresh()
    assert list(app.fleet.sessions) == ["after"]


def test_a_config_folder_that_is_created_later_is_read(machine: Machine) -> None:
    app = machine.app()
    app.refresh()
    assert dict(app.fleet.sessions) == {}
    machine.registry(status="busy", cwd="/home/user/work/shop")
    session = refresh_session(app)
    assert (session.is_reported, session.state, session.liveness) == (False, State.WORKING, Liveness.LIVE)
    assert app.fleet.health.without_hooks == 1


def test_a_registry_entry_with_a_reused_pid_is_not_a_session(machine: Machine) -> None:
    machine.registry(status="busy", procStart="1", updatedAt=1.0, statusUpdatedAt=1.0)
    app = machine.app()
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
    machine.registry(status="busy")
    app = machine.app()
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


def test_a_config_folder_that_a_session_names_is_read_too(machine: Machine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    machine.send_hook(1, "SessionStart", source="startup", transcript_path=f"{other}/projects/-shop/s.jsonl")
    machine.config_dir = other
    machine.registry(status="waiting", waitingFor="dialog open")
    machine.config_dir = tmp_path / "claude"
    app = machine.app()
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


def test_transcripts_that_cannot_be_read_are_a_notice(machine: Machine) -> None:
    """What they cost is in no sum."""
    folder = machine.config_dir / "projects" / "-shop"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").symlink_to("s.jsonl")  # a link to itself can't be opened, by root either
    app = machine.app()
    assert list(app.count_today())[-1] == 0.0
    app.refresh()
    (notice,) = [each for each in app.fleet.health.notices if str(folder) in each]
    assert notice.startswith(f"{folder}/s.jsonl can't be read: costs lack what they hold.")


def test_an_impossible_config_folder_does_not_break_the_refresh(machine: Machine) -> None:
    machine.send_hook(0, "SessionStart", source="startup", transcript_path="/abc/projects/x/s.jsonl")
    state = machine.state_dir / "sessions" / "s.json"
    state.write_text(state.read_text().replace("/abc", r"/a\u0000c"))
    app = machine.app()
    app.refresh()
    app.refresh()
    assert list(app.fleet.sessions) == ["s"]


def test_the_worktrees_of_a_repository_are_one_project(machine: Machine, tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    main, linked = tmp_path / "shop", tmp_path / "shop-fix"
    subprocess.run([*git, "init", "-q", "-b", "main", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "start"], cwd=main, check=True)
    subprocess.run([*git, "worktree", "add", "-q", "-b", "fix", str(linked)], cwd=main, check=True)
    machine.send_hook(1, "SessionStart", "a", source="startup", cwd=str(main))
    machine.send_hook(1, "SessionStart", "b", source="startup", cwd=str(linked))
    app = machine.app()
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
        machine.registry("inter", kind="interactive", entrypoint="cli")
        machine.registry("head", kind="interactive", entrypoint="sdk-cli", pid=one.pid)
        machine.registry("back", kind="bg", entrypoint="cli", pid=two.pid)
        app = machine.app(config)
        app.refresh()
        one.kill()
        two.kill()
    assert sorted(app.fleet.sessions) == shown
    assert app.fleet.health.without_hooks == len(shown)


# --- time


def test_after_an_hour_of_sleep_there_is_no_false_alarm(machine: Machine) -> None:
    """A prompt was sent, and the machine slept before the client's registry could follow."""
    machine.send_hook(1, "SessionStart", source="startup")
    machine.registry(status="idle")
    machine.send_hook(10, "UserPromptSubmit", prompt="go on", prompt_id="p1")
    app = machine.app(awake=lambda: machine.awake)
    machine.now, machine.awake = machine.start + 10.1, 10.1
    assert describe_activity(refresh_session(app).activity) == "thinking"
    machine.now, machine.awake = machine.start + HOUR, 10.3
    assert describe_activity(refresh_session(app).activity) == "thinking"
    machine.registry(status="busy", statusUpdatedAt=1000 * (machine.start + HOUR + 0.1))
    machine.now, machine.awake = machine.start + HOUR + 30, 40.3
    assert describe_activity(refresh_session(app).activity) == "thinking"


def test_a_clock_that_jumps_both_ways_loses_no_session(machine: Machine) -> None:
    machine.finished()
    app = machine.app()
    assert describe_activity(refresh_session(app).activity) == "finished"
    machine.now += 24 * HOUR
    machine.send_hook(24 * HOUR, "UserPromptSubmit", prompt="tomorrow", prompt_id="p2")
    assert describe_activity(refresh_session(app).activity) == "thinking"
    machine.now -= 24 * HOUR
    for number, kind in enumerate(("Stop", "UserPromptSubmit", "Stop", "UserPromptSubmit")):
        machine.send_hook(10 + number, kind, prompt="today", prompt_id=f"p{3 + number}", background_tasks=[])
        session = refresh_session(app)
        assert describe_activity(session.activity) == ("finished" if kind == "Stop" else "thinking")
        assert not format_age(machine.now - session.since).startswith("-")
    assert session.turns == 4


def test_an_hour_without_new_lines_is_evidence_of_an_interruption(machine: Machine) -> None:
    machine.send_hook(1, "SessionStart", source="startup")
    machine.registry(status="idle")
    machine.send_hook(10, "UserPromptSubmit", prompt="go on", prompt_id="p1")
    app = machine.app(awake=lambda: machine.awake)
    machine.now, machine.awake = machine.start + HOUR, HOUR - 10
    assert describe_activity(refresh_session(app).activity) == "interrupted"


async def test_the_end_of_a_client_triggers_a_refresh_and_the_session_is_lost(
    machine: Machine, client: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "HEARTBEAT", 10 * PATIENCE)
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
    app = machine.app(portion=1 << 20)
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
    whole = machine.app()
    assert refresh_session(whole, "large") == refresh_session(app, "large")
    assert refresh_session(whole, "small") == refresh_session(app, "small")


def test_a_transcript_path_from_before_a_resume_is_replaced_by_the_sessions_own(
    machine: Machine, tmp_path: Path
) -> None:
    folder = tmp_path / "projects" / "x"
    folder.mkdir(parents=True)
    (folder / "old.jsonl").write_text("")
    machine.send_hook(1.0, "SessionStart", source="resume", transcript_path=str(folder / "old.jsonl"))
    app = machine.app()
    assert refresh_session(app).transcript_path == str(folder / "old.jsonl")
    (folder / "s.jsonl").write_text(
        json.dumps({"type": "custom-title", "customTitle": "my name", "sessionId": "s"}) + "\n"
    )
    assert refresh_session(app).title == "my name"


def test_missing_hooks_are_reported_only_for_config_folders_with_live_sessions(
    machine: Machine, tmp_path: Path
) -> None:
    old = tmp_path / "old" / "projects" / "x" / "s.jsonl"
    machine.send_hook(1.0, "SessionStart", source="startup", transcript_path=str(old))
    app = machine.app()
    refresh_session(app)
    assert any(str(tmp_path / "old") in notice for notice in app.fleet.health.notices)
    machine.send_hook(2.0, "SessionEnd", reason="other")
    refresh_session(app)
    assert not any(str(tmp_path / "old") in notice for notice in app.fleet.health.notices)


# --- the wait ledger


def test_the_time_waited_is_saved_once_an_app_follows(machine: Machine) -> None:
    app = machine.app()
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
