"""Pane options for tmux: which event sets what, and the real hook in a real tmux."""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import hook, journal, panes
from tests.support.needs import need_tmux
from tests.support.tmux import Tmux
from tests.support.waiting import wait_until

EVERY = {"latest_hook_event", "latest_hook_time"}
ID = {"session_id", "session_id_set_on"}


@pytest.mark.parametrize(
    ("event", "names", "status"),
    [
        ({"event": "SessionStart", "cwd": "/w"}, EVERY | ID | {"session_dir", "status"}, "stopped"),
        ({"event": "UserPromptSubmit"}, EVERY | ID | {"status"}, "running"),
        ({"event": "Stop"}, EVERY | ID | {"status"}, "stopped"),
        ({"event": "StopFailure"}, EVERY | ID | {"status"}, "stopped"),
        ({"event": "PermissionRequest"}, EVERY | {"status"}, "stopped"),
        ({"event": "SessionEnd"}, EVERY | ID | {"status"}, None),
        ({"event": "PostToolUse"}, EVERY | {"status"}, "running"),
        ({"event": "PostToolUse", "agent_id": "a1"}, EVERY, "-"),
        ({"event": "PreToolUse"}, EVERY, "-"),
        ({"event": "PreCompact"}, EVERY, "-"),
        ({"event": "SubagentStop", "agent_id": "a1"}, EVERY | ID, "-"),
        ({"event": "Notification", "notification_type": "idle_prompt"}, EVERY | {"status"}, "stopped"),
        ({"event": "Notification", "notification_type": "auth_success"}, EVERY, "-"),
    ],
)
def test_each_event_sets_its_options(event: dict[str, str], names: set[str], status: str | None) -> None:
    told = panes.build_options({"at": 1000.4, "session_id": "s1", **event})
    assert set(told) == names
    assert told.get("status", "-") == status
    assert told["latest_hook_time"] == "1000"


def test_a_notification_is_named_with_its_type() -> None:
    told = panes.build_options(
        {"at": 1.0, "session_id": "s", "event": "Notification", "notification_type": "idle_prompt"}
    )
    assert told["latest_hook_event"] == "Notification-idle_prompt"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({"activity": {"kind": "new", "since": 9.6}}, ("idle", None, "10")),
        ({"activity": {"kind": "tool", "since": 20.0, "began": 12.0}}, ("working", None, "12")),
        ({"activity": {"kind": "failed", "since": 20.0}}, ("needs_you", "failed", "20")),
        ({"activity": {"kind": "interrupted", "since": 20.0}}, ("idle", "interrupted", "20")),
        (
            {"activity": {"kind": "finished", "since": 20.0}, "agents": {"a": {"state": "working"}}},
            ("working", None, "20"),
        ),
        (
            {"activity": {"kind": "tool"}, "waits": [{"reason": "question", "since": 30.0}]},
            ("needs_you", "question", "30"),
        ),
        ({"activity": {"kind": "finished", "since": 20.0}, "session_active": False}, (None, None, None)),
    ],
)
def test_the_state_is_the_one_resolved_by_the_hooks(
    state: dict[str, Any], told: tuple[str | None, str | None, str | None]
) -> None:
    found = panes.describe_state(state)
    assert (found["state"], found["reason"], found["since"]) == told


def run_hook(state: Path, env: dict[str, str], **payload: Any) -> None:
    """Runs the hook, which must be silent and end with 0."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", hook.__file__, str(state), "--tmux"],
        input=json.dumps({"session_id": "s1", **payload}).encode(),
        env=env,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_outside_tmux_and_without_a_tmux_nothing_happens(tmp_path: Path) -> None:
    for env in ({}, {"PATH": str(tmp_path), "TMUX": "/nowhere,1,0", "TMUX_PANE": "%1"}):
        run_hook(tmp_path / "state", env, hook_event_name="SessionStart", source="startup")
    assert (tmp_path / "state" / "sessions" / "s1.json").exists()


def test_a_tool_event_that_changes_nothing_starts_no_tmux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[dict[str, str | None]] = []
    monkeypatch.setattr(panes, "_start_tmux", lambda _socket, _pane, options, _environ: started.append(options))
    inside = {"TMUX": "/tmp/socket,1,0", "TMUX_PANE": "%1"}
    root = str(tmp_path / "state")
    journal.prepare_folders(root)
    times = itertools.count(1)

    def send(kind: str, at: float | None = None, pane: str = "%1", **fields: Any) -> list[dict[str, str | None]]:
        """What tmux was told of an event."""
        event = {"at": 1000.0 + (next(times) if at is None else at), "session_id": "s1", "event": kind, **fields}
        journal.record_event(root, event)
        panes.set_options(root, event, journal.load_state(root, "s1"), {**inside, "TMUX_PANE": pane})
        told = started.copy()
        started.clear()
        return told

    bash = {"tool": "Bash", "summary": "ls", "hash": "h"}
    assert send("UserPromptSubmit", prompt_kind="human", prompt="x", prompt_id="p")[0]["state"] == "working"
    assert send("PreToolUse", tool_use_id="t1", **bash) == []
    assert send("PostToolUse", tool_use_id="t1", **bash) == []
    assert send("PreToolUse", tool_use_id="t2", **bash) == []
    (told,) = send("PermissionRequest", **bash)
    assert (told["status"], told["state"], told["reason"], told["since"]) == (
        "stopped",
        "needs_you",
        "permission",
        "1005",
    )
    (told,) = send("PostToolUse", tool_use_id="t2", **bash)
    assert (told["status"], told["state"], told["reason"]) == ("running", "working", None)
    assert send("PostToolBatch", tool_use_ids=["t1", "t2"]) == []
    (told,) = send("PostToolUse", pane="%2", tool_use_id="t2", **bash)
    assert told["status"] == "running", "the session is in another pane now, which knows nothing yet"
    (told,) = send("Stop", pane="%2")
    assert (told["status"], told["state"]) == ("stopped", "idle")
    assert send("PostToolUse", at=6.5, pane="%2", tool_use_id="t2", **bash) == [], "it comes late: the turn is over"
    (told,) = send("SessionEnd", pane="%2", reason="other")
    assert (told["status"], told["state"], told["since"]) == (None, None, None)
    (tmp_path / "state" / "panes" / "s1").write_text("{")
    assert len(send("PreToolUse", pane="%2", tool_use_id="t3", **bash)) == 1
    journal.remove_session(root, "s1")
    assert not (tmp_path / "state" / "panes" / "s1").exists()


def test_the_clients_pane_is_marked_on_its_own_server_whatever_has_the_focus(tmp_path: Path) -> None:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    servers = [Tmux(need_tmux(), env), Tmux(need_tmux(), env)]
    try:
        (mine, other), (elsewhere, last) = [
            (server.start(["sleep", "100"]), server.start(["sleep", "100"])) for server in servers
        ]
        assert mine.target == elsewhere.target, "the panes of both servers have the same names"
        inside = {
            **env,
            "TMUX": f"{mine.read_format('#{socket_path}')},1,0",
            "TMUX_PANE": mine.read_format("#{pane_id}"),
        }
        focused = servers[0].run("display-message", "-p", "#{pane_id}").strip()
        assert focused == other.target

        def told() -> str:
            return mine.read_format("#{@meta.claude.status}|#{@meta.claude.state}|#{@meta.claude.latest_hook_event}")

        folder = "/w/a b;$x 'y';"
        run_hook(tmp_path / "state", inside, hook_event_name="SessionStart", source="startup", cwd=folder)
        wait_until(lambda: told() == "stopped|idle|SessionStart", "the options")
        assert mine.read_format("#{@meta.claude.session_id}") == "s1"
        assert mine.read_format("#{@meta.claude.session_dir}") == folder
        run_hook(tmp_path / "state", inside, hook_event_name="SessionEnd", reason="other")
        wait_until(lambda: told() == "||SessionEnd", "the status")
        assert [pane.read_format("#{@meta.claude.session_id}") for pane in (other, elsewhere, last)] == ["", "", ""]
    finally:
        for server in servers:
            server.close()
