"""The table of terminals: which file plans the jump to a session in which kind of terminal.

A new terminal is a file beside this one with a `plan` function, a row here, and its mark in `model/terminal.py`.
"""

from collections.abc import Callable, Mapping

from atm_tui.jump import apple, ghostty, iterm2, kitty, screen, tmux, vscode, wezterm, zellij
from atm_tui.jump.values import JumpPlan, OwnTerminal
from atm_tui.model.session import Session

TERMINALS: Mapping[str, Callable[[Session, OwnTerminal], JumpPlan]] = {
    "tmux": tmux.plan,
    "kitty": kitty.plan,
    "wezterm": wezterm.plan,
    "iterm2": iterm2.plan,
    "ghostty": ghostty.plan,
    "apple": apple.plan,
    "zellij": zellij.plan,
    "screen": screen.plan,
    "vscode": vscode.plan,
}
"""By `Terminal.kind`."""
