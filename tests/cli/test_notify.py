"""`atm-tui notify`: each kind of notification is given once; none in the focus, and none while it is muted."""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from atm_hooks import journal, payload, sample
from atm_tui.cli import notify
from atm_tui.config import Config
from atm_tui.jump import tmux_focus
from atm_tui.model.notification import NotifyWay
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.mute import write_mute
from atm_tui.sources.notify_locks import hold_app_lock, take_notifier_lock

CONFIG = Config(notify_by=(NotifyWay.COMMAND,), notify_cooldown=0.0, budget_session=5.0)
HOSTILE = 'it\'s "x" `touch owned`; <b>&amp;</b> $(touch owned)'
ASK = {"tool_name": "Bash", "tool_input": {"command": HOSTILE}}


class Notified:
    """A state folder with sessions, and a program to which their notifications go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.config = msgspec.structs.replace(CONFIG, notify_command=("sh", "-c", 'cat >> "$0"', str(folder / "given")))
        self.terminal: dict[str, str] = {}
        """Variables of the terminal of the sessions that are recorded from now on."""
        self._read = 0

    def record(self, session: str, ago: float, kind: str, **fields: Any) -> None:
        environ = {"CLAUDE_PID": str(os.getpid()), **self.terminal}
        raw = {"session_id": session, "hook_event_name": kind, "cwd": "/w/shop", "session_title": session, **fields}
        parse = sample.parse_sample if kind == "Sample" else payload.parse_event
        journal.prepare_folders(str(self.state))
        journal.record_event(str(self.state), parse(json.dumps(raw).encode(), round(time.time() - ago, 4), environ))

    def notify(self) -> list[str]:
        """Runs `atm-tui notify`; returns the titles of the notifications that it gave."""
        monitor = LiveMonitor(self.state, [self.folder / "claude"], self.config, counted=Counted.SESSIONS)
        assert notify.run_notify(argparse.Namespace(since=None), monitor) == 0
        given = self.list_given()
        titles = [each["title"] for each in given[self._read :]]
        self._read = len(given)
        return titles

    def list_given(self) -> list[dict[str, Any]]:
        path = self.folder / "given"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def notified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Notified:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(notify, "MARGIN", 300.0)  # however slow the machine is
    return Notified(tmp_path)


def begin(notified: Notified, session: str) -> None:
    notified.record(session, 100, "SessionStart", source="startup")
    notified.record(session, 90, "UserPromptSubmit", prompt="go", prompt_id="p1")


def ask(notified: Notified, session: str) -> None:
    notified.record(session, 2, "PermissionRequest", **ASK)


def fail(notified: Notified, session: str) -> None:
    notified.record(session, 2, "StopFailure", error="rate_limit", prompt_id="p1")


def finish(notified: Notified, session: str) -> None:
    notified.record(session, 2, "Stop", prompt_id="p1")


def spend(notified: Notified, session: str) -> None:
    notified.record(session, 2, "Sample", cost={"total_cost_usd": 5.5})


KINDS = {
    "needs_you": (ask, f"{{}} wants to run Bash: {HOSTILE}"),
    "failed": (fail, "{} failed: rate limit"),
    "finished": (finish, "{} has finished"),
    "budget": (spend, "{} has cost $5.50, over your budget"),
}


@pytest.fixture
def focused(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of a session whose pane has the focus."""
    monkeypatch.setattr(tmux_focus, "list_focused_panes", lambda socket: {"/tmux": {"%7"}}[socket])
    return {"TMUX": "/tmux,1,0", "TMUX_PANE": "%7"}


@pytest.mark.parametrize("kind", KINDS)
def test_an_edge_gives_one_a_repeat_none_focus_none_and_mute_none(
    notified: Notified, focused: dict[str, str], kind: str
) -> None:
    happen, title = KINDS[kind]
    begin(notified, "first")
    assert notified.notify() == []
    happen(notified, "first")
    assert notified.notify() == [title.format("first")]
    assert notified.list_given()[0]["reasons"] == [kind]
    assert notified.notify() == []

    notified.terminal = focused
    begin(notified, "front")
    happen(notified, "front")
    assert notified.notify() == []

    notified.terminal = focused | {"TMUX_PANE": "%8"}
    write_mute(notified.state, time.time() + 60)
    begin(notified, "muted")
    happen(notified, "muted")
    assert notified.notify() == []
    write_mute(notified.state, 0.0)
    assert notified.notify() == [], "what began in silence is not made up for"

    begin(notified, "other")
    happen(notified, "other")
    assert notified.notify() == [title.format("other")], "another pane has the focus"
    assert not (notified.folder / "owned").exists()


def test_a_limit_that_is_nearly_used_gives_one_and_mute_none(notified: Notified) -> None:
    begin(notified, "s1")
    limits = {"five_hour": {"used_percentage": 91, "resets_at": round(time.time()) + 3600}}
    notified.record("s1", 3, "Sample", rate_limits=limits)
    assert notified.notify() == ["91 % of the 5h limit is used"]
    assert notified.notify() == []

    write_mute(notified.state, time.time() + 60)
    week = {"seven_day": {"used_percentage": 95, "resets_at": round(time.time()) + 86400}}
    notified.record("s1", 2, "Sample", rate_limits=limits | week)
    assert notified.notify() == []
    write_mute(notified.state, 0.0)
    assert notified.notify() == [], "what began in silence is not made up for"


def test_several_at_once_are_one_and_what_is_old_gives_none(notified: Notified) -> None:
    for name in ("a", "b"):
        begin(notified, name)
        ask(notified, name)
    notified.record("old", 990, "UserPromptSubmit", prompt="go", prompt_id="p1")
    notified.record("old", 900, "PermissionRequest", **ASK)
    assert notified.notify() == ["2 sessions need you"]
    assert notified.list_given()[0]["body"].splitlines() == [f"{each} wants to run Bash: {HOSTILE}" for each in "ab"]


@pytest.mark.parametrize("take", [hold_app_lock, take_notifier_lock], ids=["app", "notifier"])
def test_none_is_given_while_an_app_or_another_notifier_runs(
    notified: Notified, take: Callable[[Path], int | None]
) -> None:
    begin(notified, "s1")
    ask(notified, "s1")
    lock = take(notified.state)
    assert lock is not None
    assert notified.notify() == []
    os.close(lock)
    assert len(notified.notify()) == 1


def test_a_program_that_fails_is_logged(notified: Notified) -> None:
    begin(notified, "s1")
    fail(notified, "s1")
    notified.config = msgspec.structs.replace(notified.config, notify_command=("sh", "-c", "exit 3"))
    assert notified.notify() == []
    assert (notified.state / "hook.log").read_text().endswith(" a notification was not given: sh: ended with 3\n")
