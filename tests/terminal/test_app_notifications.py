"""The real app notifies in a real tmux: what its terminal and a real notification daemon receive, and what acting on it does."""

import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.desktop import open_desktop
from tests.support.effort import mark_long
from tests.support.needs import need_notification_daemon
from tests.support.notification_stage import HOSTILE, Stage
from tests.support.program import ATM_TUI
from tests.support.tmux import Pane
from tests.support.waiting import wait_until

TITLE = f"four wants to run Bash: {HOSTILE}"
TERMINALS: Mapping[str, tuple[dict[str, str], str]] = {
    "9": ({"LC_TERMINAL": "iTerm2"}, f"\x1b]9;atm-tui: {TITLE}\x1b\\"),
    "777": ({"LC_TERMINAL": "WezTerm"}, f"\x1b]777;notify;{TITLE.replace(';', ',')};\x1b\\"),
    "99": ({"KITTY_WINDOW_ID": "1"}, f"\x1b]99;i=atm:d=0:e=1;{b64encode(TITLE.encode()).decode()}\x1b\\"),
}
"""What tells the app of the terminal around tmux, and what that is to receive."""


class Apps:
    """Two apps in one window, beside the windows of the sessions."""

    def __init__(self, stage: Stage, env: Mapping[str, str], variables: Mapping[str, str]) -> None:
        self.stage = stage
        config = Path(env["HOME"]) / ".config/atm-tui/config.toml"
        config.parent.mkdir(parents=True)
        config.write_text('notify_by = ["bell", "terminal", "notify-send"]\nnotify_cooldown = 0.0')
        words = ["env", *(f"{name}={value}" for name, value in {**env, **variables}.items()), ATM_TUI]
        first = stage.tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", *words).strip()
        second = stage.tmux.run("split-window", "-d", "-t", first, "-P", "-F", "#{pane_id}", *words).strip()
        self.panes = [Pane(stage.tmux, target) for target in (first, second)]
        for pane in self.panes:
            pane.wait_for("two")

    def read_shown(self) -> str:
        """The pane that the terminal shows."""
        return self.stage.tmux.run("display-message", "-p", "#{pane_id}").strip()

    def is_known(self, session: str) -> bool:
        """Whether an app has noticed what this session asks."""
        notified = self.stage.state / "app" / "notified.json"
        return notified.exists() and f"needs_you {session} " in notified.read_text()


@pytest.mark.parametrize("kind", mark_long(TERMINALS, short=["777"]))
def test_one_of_two_apps_notifies_and_its_notification_shows_the_session(
    stage: Stage, terminal_env: dict[str, str], tmp_path: Path, kind: str
) -> None:
    need_notification_daemon()
    variables, expected = TERMINALS[kind]
    with open_desktop(tmp_path, terminal_env) as desktop:
        stage.fail("one", stage.front)
        stage.fail("two", stage.other)
        apps = Apps(stage, desktop.env, variables)

        def ask(session: str) -> None:
            given = {"tool_name": "Bash", "tool_input": {"command": HOSTILE}}
            stage.record(session, stage.other, "PermissionRequest", 0.0, **given)

        # in front of one of the apps: neither notifies
        stage.tmux.run("select-window", "-t", apps.panes[0].target)
        wait_until((stage.state / "notify" / "front.lock").exists, "the focus")
        ask("three")
        wait_until(lambda: apps.is_known("three"), "the first request")

        since = len(stage.terminal.raw)
        stage.terminal.type("\x1b[O")
        wait_until(lambda: "focused" not in stage.read_flags(), "the loss of the focus")
        ask("four")
        stage.terminal.wait_for_bytes(expected.encode(), since)
        stage.terminal.wait_for_bytes(b"\a", since)
        wait_until(lambda: "summary:" in desktop.read_received(), "the notification")
        assert re.findall("summary: '(.*)'", desktop.read_received()) == [TITLE]
        stage.tmux.run("select-window", "-t", stage.front.target)
        desktop.choose_action("Show in atm-tui")
        wait_until(lambda: apps.read_shown() in [pane.target for pane in apps.panes], "the pane of the app")
        shown = next(pane for pane in apps.panes if pane.target == apps.read_shown())
        shown.wait_for(r"(?m)^▌.*four")
        assert stage.terminal.raw[since:].count(expected.encode()) == 1
    assert not list(tmp_path.rglob("owned"))
