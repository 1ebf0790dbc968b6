"""State files of sessions in the panes of a real tmux, for the commands that jump."""

import json
import time
from pathlib import Path
from typing import Any

from tests.support.forked import CommandResult, run_command
from tests.support.jumping import TmuxWorkspace
from tests.support.tmux import Pane


class JumpHarness:
    """A tmux workspace, and the state files of sessions in its panes."""

    def __init__(self, workspace: TmuxWorkspace) -> None:
        self.workspace = workspace
        self.home = Path(workspace.env["HOME"])
        self.states = Path(workspace.env["ATM_STATE_DIR"]) / "sessions"
        self.states.mkdir(parents=True)

    def write_state(self, session_id: str, pane: Pane | None = None, **more: Any) -> None:
        """A state file as the hook writes it, of a session whose client is what runs in the pane."""
        now = time.time()
        state = {
            "schema": 1,
            "session_id": session_id,
            "created_at": now,
            "updated_at": now,
            "last_event": "Stop",
            **more,
        }
        if pane:
            terminal = {"TMUX": f"{pane.server.socket},{pane.read_format('#{pid}')},0", "TMUX_PANE": pane.target}
            process = {"first": now, "last": now, "began": now, "terminal": terminal}
            state |= {"pid": pane.pid, "terminal": terminal, "processes": {str(pane.pid): process}}
        (self.states / f"{session_id}.json").write_text(json.dumps(state))

    def write_waiting_state(self, session_id: str, pane: Pane, since: float) -> None:
        """A session that waits for a permission."""
        self.write_state(
            session_id,
            pane,
            waits=[{"key": "k", "reason": "permission", "tool": "Bash", "summary": "x", "since": since}],
        )

    def run(self, *arguments: str, **env: str) -> CommandResult:
        """An atm-tui command outside tmux, without a terminal."""
        return run_command(arguments, self.home, {**self.workspace.env, **env})
