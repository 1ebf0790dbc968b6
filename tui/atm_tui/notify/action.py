"""Gives a desktop notification, and goes to its session if its action is chosen.

A small program, run by `python -m`: it may have to wait for minutes, also after the app that started it has ended.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

ACTION = "default"
"""The name of the action, which notify-send prints when it is chosen."""
SHOWN = 600.0
"""Seconds for which the action is waited for."""


def main(arguments: Sequence[str]) -> int:
    """Runs a command (all arguments but the first); returns its exit code, or becomes `atm-tui jump` to the session (the first)."""
    session_id, *command = arguments
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SHOWN, check=False)
    except subprocess.TimeoutExpired:
        return 0
    if done.stdout.decode(errors="replace").strip() == ACTION:
        os.execv(sys.executable, [sys.executable, "-P", "-m", "atm_tui", "jump", "--", session_id])  # noqa: S606
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
