"""Where atm-tui itself runs, from its environment and its process."""

import os

from atm_hooks.payload import TERMINAL
from atm_tui import paths
from atm_tui.jump.processes import tty_of
from atm_tui.jump.values import Here
from atm_tui.model.terminal import terminal_of


def here() -> Here:
    """The terminal of this process."""
    variables = {name: value for name in TERMINAL if (value := paths.environment(name))}
    pid = os.getpid()
    return Here(terminal=terminal_of(variables, tty=tty_of(pid)), pid=pid)
