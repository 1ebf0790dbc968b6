"""Pane options for tmux: which event sets what, and the real hook in a real tmux."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from atm_hooks import hook, panes
from tests.support.needs import need_tmux
from tests.support.tmux import Tmux

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
def test_what_an_event_sets(event: dict[str, str], names: set[str], status: str | None) -> None:
    told = panes.build_options({"at": 1000.4, "session_id": "s1", **event})
    assert set(told) == names
    assert told.get("status", "-") == status
    assert told["latest_hook_time"] == "1000"


def test_a_notification_is_named_with_its_type() -> None:
    told = panes.build_options(
        {"at": 1.0, "session_id": "s", "event": "Notification", "notification_type": "idle_prompt"}
    )
    assert told["latest_hook_event"] == "Notification-idle_prompt"


def run_hook(state: Path, env: dict[str, str], **payload: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-I", "-S", hook.__file__, str(state), "--tmux"],
        input=json.dumps({"session_id": "s1", **payload}).encode(),
        env=env,
        capture_output=True,
        check=False,
    )


def test_outside_tmux_and_without_a_tmux_nothing_happens(tmp_path: Path) -> None:
    for env in ({}, {"PATH": str(tmp_path), "TMUX": "/nowhere,1,0", "TMUX_PANE": "%1"}):
        done = run_hook(tmp_path / "state", env, hook_event_name="SessionStart", source="startup")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "state" / "sessions" / "s1.json").exists()


def test_the_clients_pane_is_marked_and_no_other(tmp_path: Path) -> None:
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    server = Tmux(need_tmux(), env)
    try:
        mine, other = server.start(["sleep", "100"]), server.start(["sleep", "100"])
        inside = {
            **env,
            "TMUX": f"{mine.read_format('#{socket_path}')},1,0",
            "TMUX_PANE": mine.read_format("#{pane_id}"),
        }
        folder = "/w/a b;$x 'y';"
        run_hook(tmp_path / "state", inside, hook_event_name="SessionStart", source="startup", cwd=folder)
        until = time.monotonic() + 5
        while mine.read_format("#{@meta.claude.status}") != "stopped" and time.monotonic() < until:
            time.sleep(0.02)
        assert mine.read_format("#{@meta.claude.session_id}|#{@meta.claude.status}") == "s1|stopped"
        assert mine.read_format("#{@meta.claude.session_dir}") == folder
        assert other.read_format("#{@meta.claude.session_id}") == ""
        run_hook(tmp_path / "state", inside, hook_event_name="SessionEnd", reason="other")
        until = time.monotonic() + 5
        while mine.read_format("#{@meta.claude.status}") and time.monotonic() < until:
            time.sleep(0.02)
        assert mine.read_format("#{@meta.claude.status}|#{@meta.claude.latest_hook_event}") == "|SessionEnd"
    finally:
        server.close()
