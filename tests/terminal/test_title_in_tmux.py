"""The title of a real terminal: tmux takes it, and gives the former one back when the app leaves."""

import json
import os
import subprocess
import sys

from atm_hooks import hook
from tests.support.program import ATM_TUI
from tests.support.tmux import Pane, Tmux
from tests.support.waiting import wait_until


def wait_for_title(pane: Pane, title: str) -> None:
    wait_until(lambda: pane.read_format("#{pane_title}") == title, f"the title {title!r}")


def test_tmux_shows_the_title_and_gets_the_previous_one_back(tmux: Tmux, terminal_env: dict[str, str]) -> None:
    for name, more in (("SessionStart", {"source": "startup"}), ("Elicitation", {"mcp_server_name": "db"})):
        subprocess.run(
            [sys.executable, "-I", "-S", hook.__file__, terminal_env["ATM_STATE_DIR"]],
            input=json.dumps({"hook_event_name": name, "session_id": "s1", "cwd": "/work", **more}).encode(),
            env={**terminal_env, "CLAUDE_PID": str(os.getpid())},
            check=True,
        )
    script = f'printf "\\033]0;before\\033\\\\"; {ATM_TUI}; printf "[left]"; exec cat'
    pane = tmux.start(["/bin/sh", "-c", script], size=(100, 30), env=terminal_env)
    wait_for_title(pane, "1 needs you · atm-tui")
    pane.press_keys("q")
    pane.wait_for(r"\[left\]")
    wait_for_title(pane, "before")
