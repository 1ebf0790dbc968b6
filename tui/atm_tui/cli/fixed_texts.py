"""Prints the fixed texts of --version and --help without importing the command line, since scripts run them often."""

import os
import sys
from collections.abc import Sequence

from atm_hooks.regular_file import read_regular
from atm_tui import __version__

WIDTH = 80
"""Width of help.txt in columns. `python -m tests.support.tables` generates it from the parser."""


def print_fixed_text(given: Sequence[str]) -> int | None:
    """Prints the text that the arguments ask for; returns the exit code, or None if that is not possible."""
    if len(given) != 1:
        return None
    if given[0] == "--version":
        text = f"atm-tui {__version__}\n"
    elif given[0] in ("--help", "-h") and _has_room():
        text = read_regular(os.path.join(os.path.dirname(__file__), "help.txt")).decode("ascii")  # noqa: PTH118, PTH120
    else:
        return None
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):  # the command line reports what is wrong with the output
        return None
    return 0


def _has_room() -> bool:
    try:
        return os.get_terminal_size(1).columns >= WIDTH
    except OSError:  # not a terminal
        return True
