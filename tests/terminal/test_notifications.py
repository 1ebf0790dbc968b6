"""Notifications in a real tmux and on a real desktop: which pane has the focus, what the terminal and the daemon receive."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from atm_hooks import hook
from atm_tui.config import Config
from atm_tui.model.notification import NotifyWay
from tests.support.desktop import open_desktop
from tests.support.needs import need_notification_daemon
from tests.support.notification_stage import HOSTILE, Stage
from tests.support.waiting import wait_until


def test_the_pane_that_has_the_focus_gives_none_and_the_terminal_gets_what_passes_through_tmux(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles = stage.folder / "titles"
    command = ("sh", "-c", 'printf "%s\\n" "$ATM_TITLE" >> "$0"', str(titles))
    by_command = Config(notify_by=(NotifyWay.COMMAND,), notify_command=command, notify_cooldown=0.0)
    stage.fail("one", stage.front)
    stage.fail("two", stage.other)
    stage.notify(by_command)
    assert titles.read_text() == "two failed: rate limit\n"

    stage.tmux.run("select-window", "-t", stage.other.target)
    stage.fail("three", stage.front)
    stage.fail("four", stage.other)
    stage.notify(by_command)
    assert titles.read_text().splitlines()[1:] == ["three failed: rate limit"]

    stage.terminal.type("\x1b[O")
    wait_until(lambda: "focused" not in stage.read_flags(), "the loss of the focus")
    for name, value in {"TERM": "tmux-256color", **stage.environ(stage.other)}.items():
        monkeypatch.setenv(name, value)
    since = len(stage.terminal.raw)
    stage.record("five", stage.other, "PermissionRequest", tool_name="Bash", tool_input={"command": HOSTILE})
    stage.notify(Config(notify_by=(NotifyWay.BELL, NotifyWay.TERMINAL)))
    stage.terminal.wait_for_bytes(f"\x1b]9;atm-tui: five wants to run Bash: {HOSTILE}\x1b\\".encode(), since)
    stage.terminal.wait_for_bytes(b"\a", since)

    since = len(stage.terminal.raw)
    stage.record("six", stage.other, "PermissionRequest", tool_name="Bash", tool_input={"command": f"{HOSTILE} %H"})
    stage.notify(Config(notify_by=(NotifyWay.TMUX,)))
    stage.terminal.wait_for(f"six wants to run Bash: {HOSTILE} %H", since)
    assert not list(stage.folder.rglob("owned"))


def find_notifiers(state: Path) -> list[psutil.Process]:
    """Returns the running notifiers of a state folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if "--since" in process.cmdline() and process.environ().get("ATM_STATE_DIR") == str(state):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_the_notifier_of_a_hook_reaches_the_desktop_and_its_action_goes_to_the_session(
    stage: Stage, terminal_env: dict[str, str], tmp_path: Path
) -> None:
    need_notification_daemon()
    config = Path(terminal_env["HOME"]) / ".config/atm-tui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('notify_by = ["notify-send"]')
    ask = {"tool_name": "Bash", "tool_input": {"command": HOSTILE}}
    event = {"hook_event_name": "Notification", "session_id": "s1", "notification_type": "permission_prompt"}
    command = [sys.executable, "-I", "-S", hook.__file__, str(stage.state), "--notify", sys.executable]
    with open_desktop(tmp_path, terminal_env) as desktop:
        environ = {**desktop.env, **stage.environ(stage.other)}
        for session in ("s1", "s2"):
            stage.record(session, stage.other, "PermissionRequest", **ask)
        done = subprocess.run(command, input=json.dumps(event), text=True, capture_output=True, env=environ, check=True)
        assert (done.stdout, done.stderr) == ("", "")
        wait_until(lambda: "summary:" in desktop.read_received(), "the notification")
        received = desktop.read_received()
        body = [f"{each} wants to run Bash: {HOSTILE}" for each in ("s1", "s2")]
        escaped = [each.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for each in body]
        assert "appname: 'atm-tui'" in received
        assert "summary: '2 sessions need you'" in received
        assert "body: '{}'".format("\n".join(escaped)) in received

        assert stage.tmux.run("display-message", "-p", "#{pane_id}").strip() == stage.front.target
        desktop.invoke_action()
        wait_until(
            lambda: stage.tmux.run("display-message", "-p", "#{pane_id}").strip() == stage.other.target, "the jump"
        )
        wait_until(lambda: not find_notifiers(stage.state), "the end of the notifier")
        assert desktop.read_received().count("summary:") == 1
    assert not list(tmp_path.rglob("owned"))
