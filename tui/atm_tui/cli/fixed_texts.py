"""Prints the texts that are always the same, --version and --help, without loading the command line: scripts ask for them."""

import os
import sys
from collections.abc import Sequence

from atm_hooks.regular_file import read_regular
from atm_tui import __version__

WIDTH = 80
"""Columns for which help.txt is made. `python -m tests.support.tables` makes it of the parser."""


def print_fixed_text(given: Sequence[str]) -> int | None:
    """Prints the text that the arguments ask for; the exit code. None: they ask for something else, or it can't be printed so."""
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
    except (OSError, ValueError, AttributeError):  # whatever is wrong with the output, the command line says it
        return None
    return 0


def _has_room() -> bool:
    try:
        return os.get_terminal_size(1).columns >= WIDTH
    except OSError:  # it is no terminal
        return True
