"""Tab in the real shells: commands, options and sessions complete, with the printed script and with the installed files."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from atm_hooks import journal, payload
from tests.support.effort import sample
from tests.support.needs import need_program
from tests.support.tmux import Pane, Tmux

SHARE = Path(__file__).parents[2] / "share"
PLAIN = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "--interactive"]}
"""How each shell starts without a person's configuration."""
PRINTED = {
    "bash": 'eval "$(atm-tui completion bash)"',
    "zsh": 'autoload -U compinit && compinit -u; eval "$(atm-tui completion zsh)"',
    "fish": "atm-tui completion fish | source",
}
"""What docs/commands.md says."""
INSTALLED = {
    "bash": f"source {SHARE}/bash-completion/completions/atm-tui",
    "zsh": f"fpath=({SHARE}/zsh/site-functions $fpath); autoload -U compinit && compinit -u",
    "fish": f"source {SHARE}/fish/vendor_completions.d/atm-tui.fish",
}
"""What a shell does by itself with the files that an installation brings."""


def record_session(state: str, session_id: str, name: str) -> None:
    """Records the start of a session that this process serves."""
    raw = {"session_id": session_id, "hook_event_name": "SessionStart", "session_title": name, "cwd": "/home/user/shop"}
    journal.prepare_folders(state)
    event = payload.parse_event(json.dumps(raw).encode(), time.time(), {"CLAUDE_PID": str(os.getpid())})
    journal.record_event(state, event)


def start_shell(tmux: Tmux, shell: str, line: str) -> Pane:
    """Starts a shell, and runs a line in it."""
    programs = f"PATH={Path(sys.executable).parent}:{tmux.env['PATH']}"
    pane = tmux.start(["env", programs, need_program(shell), *PLAIN[shell]], cwd=Path(tmux.env["HOME"]))
    pane.type_text(f"{line}; echo read''y")
    pane.press_keys("Enter")
    pane.wait_for("^ready")
    return pane


def press_tab(pane: Pane, text: str, pattern: str) -> str:
    """Types the start of a command and Tab, waits for a pattern on the screen, and deletes what was typed."""
    pane.type_text(text)
    pane.press_keys("Tab")
    screen = pane.wait_for(pattern)
    pane.press_keys("C-u")
    return screen


@pytest.mark.parametrize("shell", sample(PLAIN, "bash", "zsh"))
def test_a_shell_completes_commands_options_and_sessions(tmux: Tmux, shell: str) -> None:
    for number, name in enumerate(("fix login", "docs")):
        record_session(tmux.env["ATM_STATE_DIR"], f"{number}aaa1111-0000-4000-8000-000000000000", name)
    pane = start_shell(tmux, shell, PRINTED[shell])
    press_tab(pane, "atm-tui expl", r"atm-tui explain")
    press_tab(pane, "atm-tui status --no-h", r"status --no-headings")
    press_tab(pane, "atm-tui jump fi", r"jump (fix\\ login|'fix login)")
    press_tab(pane, "atm-tui explain 1aaa", r"explain 1aaa1111")
    press_tab(pane, "atm-tui list --state=id", r"list --state=idle")
    press_tab(pane, "atm-tui config them", r"config theme")
    press_tab(pane, "atm-tui config theme solarized-l", r"theme solarized-light")
    press_tab(pane, "atm-tui config read_only tr", r"read_only true")
    press_tab(pane, "atm-tui config keys.preset vi", r"keys\.preset vim")
    press_tab(pane, "atm-tui config keys.wizard_ap", r"config keys\.wizard_apply")
    press_tab(pane, "atm-tui config --unset column_widths.br", r"unset column_widths\.branch")


@pytest.mark.parametrize("shell", sample(PLAIN, "zsh"))
def test_the_installed_file_does_the_same(tmux: Tmux, shell: str) -> None:
    pane = start_shell(tmux, shell, INSTALLED[shell])
    press_tab(pane, "atm-tui expl", r"atm-tui explain")
