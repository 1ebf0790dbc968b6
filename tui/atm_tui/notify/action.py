"""Gives a desktop notification, and goes to its session if that action is chosen.

A small program, run by `python -m`: it may have to wait for minutes, also after the app that started it has ended.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

GO = "default"
"""The action that goes to the session, a click on the notification; notify-send prints the name of the chosen one."""
SHOW = "show"
"""The action that shows the session in the app."""
SHOW_CODE = 64
"""The exit code that tells the app to show the session."""
SHOWN = 600.0
"""Seconds for which the action is waited for."""


def main(arguments: Sequence[str]) -> int:
    """Runs a command (all arguments but the first); returns its exit code, or becomes `atm-tui jump` to the session (the first).

    When the session is to be shown in an app that has ended since, it goes to the session as well.
    """
    app = os.getppid()
    session_id, *command = arguments
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SHOWN, check=False)
    except subprocess.TimeoutExpired:
        return 0
    chosen = done.stdout.decode(errors="replace").strip()
    if chosen == SHOW and os.getppid() == app:
        return SHOW_CODE
    if chosen in (GO, SHOW):
        os.execv(sys.executable, [sys.executable, "-P", "-m", "atm_tui", "jump", "--", session_id])  # noqa: S606
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
