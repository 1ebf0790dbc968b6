"""The doctor says for each live session whether Enter gets there, and what to switch on where it doesn't."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal, payload
from atm_tui.jump.values import OwnTerminal
from atm_tui.monitor.read_once import read_sessions
from atm_tui.settings.check import Level
from atm_tui.settings.doctor_jumps import check_jumps
from tests.support.needs import need_tmux
from tests.support.tmux import Tmux

SESSION = "aaaa1111-0000-4000-8000-000000000000"


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(need_tmux(), {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"})
    yield server
    server.close()


def start(state: Path, pid: int, **environ: str) -> None:
    journal.prepare_folders(str(state))
    data: dict[str, Any] = {
        "hook_event_name": "SessionStart",
        "session_id": SESSION,
        "cwd": "/src",
        "source": "startup",
    }
    event = payload.parse_event(json.dumps(data).encode(), time.time(), {"CLAUDE_PID": str(pid), **environ})
    journal.record_event(str(state), event)


def test_without_sessions_there_are_no_checks(tmp_path: Path) -> None:
    assert list(check_jumps(read_sessions(tmp_path / "state", [tmp_path]), OwnTerminal())) == []


def test_a_session_in_tmux_can_be_reached(tmp_path: Path, tmux: Tmux) -> None:
    pane = tmux.start(["cat"])
    start(tmp_path, pane.pid, TMUX=f"{tmux.socket},{pane.read_format('#{pid}')},0", TMUX_PANE=pane.target)
    (check,) = check_jumps(read_sessions(tmp_path, [tmp_path / "claude"]), OwnTerminal())
    assert (check.name, check.level) == ("jump", Level.OK)
    assert check.text.startswith("Enter can bring it here (tmux): It runs in pane %0")
    assert "aaaa1111" in check.where


@pytest.mark.parametrize(
    ("environ", "says"), [({"KITTY_WINDOW_ID": "3"}, "allow_remote_control"), ({}, "can't go there")]
)
def test_a_terminal_without_remote_control_is_a_warning_with_advice(
    tmp_path: Path, environ: dict[str, str], says: str
) -> None:
    start(tmp_path, os.getpid(), **environ)
    (check,) = check_jumps(read_sessions(tmp_path, [tmp_path / "claude"]), OwnTerminal())
    assert check.level is Level.WARNING
    assert says in check.text
    assert f"--resume {SESSION}" in check.advice
