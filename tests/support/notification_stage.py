"""Two windows of a real tmux with a client of a session in each, for notifications."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from atm_hooks import journal, payload
from atm_tui.cli import notify
from atm_tui.config import Config
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from tests.support.jumping import open_pane
from tests.support.raw_terminal import RawTerminal
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import wait_until

HOSTILE = 'it\'s "x" $(touch owned) `touch owned` #(touch owned) <b>a &amp; b</b>'


class Stage:
    """Two windows of a tmux server with a client; each has a pane in which the client of a session runs."""

    def __init__(self, tmux: Tmux, env: dict[str, str], folder: Path) -> None:
        self.tmux = tmux
        self.state = Path(env["ATM_STATE_DIR"])
        self.folder = folder
        self.front = tmux.start(["cat"])
        """The pane that the client shows at first."""
        self.other = open_pane(tmux, "new-window", "-d")
        tmux.run("set-option", "-g", "focus-events", "on")
        tmux.run("set-option", "-g", "allow-passthrough", "on")
        words = [tmux.program, "-u", "-S", str(tmux.socket), "attach-session"]
        self.terminal = RawTerminal(words, {**env, "TERM": "xterm-256color"}, folder, (120, 40))
        wait_until(lambda: "focused" in self.read_flags(), "the client")

    def read_flags(self) -> str:
        return self.tmux.run("list-clients", "-F", "#{client_flags}").strip()

    def environ(self, pane: Pane) -> dict[str, str]:
        """What tells a hook of the client in a pane."""
        tmux = f"{self.tmux.socket},{pane.read_format('#{pid}')},0"
        return {"CLAUDE_PID": str(pane.pid), "TMUX": tmux, "TMUX_PANE": pane.target}

    def record(self, session: str, pane: Pane, kind: str, ago: float = 2.0, **fields: Any) -> None:
        raw = {
            "session_id": session,
            "hook_event_name": kind,
            "cwd": str(self.folder),
            "session_title": session,
            **fields,
        }
        event = payload.parse_event(json.dumps(raw).encode(), round(time.time() - ago, 4), self.environ(pane))
        journal.prepare_folders(str(self.state))
        journal.record_event(str(self.state), event)

    def fail(self, session: str, pane: Pane) -> None:
        """A session whose turn failed."""
        self.record(session, pane, "UserPromptSubmit", 9.0, prompt="go", prompt_id="p1")
        self.record(session, pane, "StopFailure", error="rate_limit", prompt_id="p1")

    def notify(self, config: Config) -> None:
        """Runs `atm-tui notify`."""
        monitor = LiveMonitor(self.state, [self.folder / "claude"], config, counted=Counted.SESSIONS)
        assert notify.run_notify(argparse.Namespace(since=None), monitor) == 0
