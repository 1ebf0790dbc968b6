"""The table of terminals: which module plans jumps in which kind of terminal.

A new terminal needs a module beside this one with a function `plan`, a row here, and its variables in `model/terminal.py`.
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
"""Functions that plan a jump, by `Terminal.kind`."""
