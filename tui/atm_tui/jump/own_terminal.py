"""Finds the terminal in which atm-tui itself runs, by its environment and its process."""

import os

from atm_hooks.payload import TERMINAL
from atm_tui import paths
from atm_tui.jump.processes import read_tty
from atm_tui.jump.values import OwnTerminal
from atm_tui.model.terminal import find_terminal


def find_own_terminal() -> OwnTerminal:
    """Returns the terminal of this process."""
    variables = {name: value for name in TERMINAL if (value := paths.read_variable(name))}
    pid = os.getpid()
    return OwnTerminal(terminal=find_terminal(variables, tty=read_tty(pid)), pid=pid)
