"""Finds folders and files of the hooks that this user may not read: hooks can't write there, and log that at most."""

import os
from collections.abc import Iterable
from pathlib import Path

from atm_hooks import journal
from atm_tui.monitor.schedule import Interval

INTERVAL = 5.0
"""Seconds between two checks."""
NAMED = 3
"""Paths that the notice names."""


class StateAccess:
    """Checks the permissions of the state folder's parts. What is missing, or in a folder that is named, is no problem."""

    def __init__(self, state_dir: Path) -> None:
        self.problem: str | None = None
        """What can't be accessed, with the next step; None when there is nothing."""
        self._root = str(state_dir)
        self._interval = Interval(INTERVAL)

    def refresh(self, session_ids: Iterable[str], now: float) -> None:
        """Checks the folders, and the files of these sessions, at most once in five seconds. `now`: epoch seconds."""
        if not self._interval.is_due(now):
            return
        self._interval.restart(now)
        folders = [f"{self._root}/{part}" for part in journal.FOLDERS if part != "sessions"]  # its listing tells
        found = [each for each in folders if _is_closed(each, os.R_OK | os.X_OK)]
        for session_id in session_ids:
            files = (journal.locate_journal(self._root, session_id), journal.locate_lock(self._root, session_id))
            found += [each for each in files if _is_closed(each, os.R_OK)]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        paths = ", ".join(found[:NAMED]) + more
        self.problem = f"{paths}: no permission, so hooks can't record there. See `atm-tui doctor`." if found else None


def _is_closed(path: str, mode: int) -> bool:
    """Whether something is there that this user may not access."""
    return not os.access(path, mode) and os.access(path, os.F_OK)
