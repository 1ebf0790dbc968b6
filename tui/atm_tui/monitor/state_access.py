"""Finds out why hooks can't record, which they can only log: files without permission, or a disk that is full or read-only."""

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
    """Checks the permissions of the state folder's parts, and whether its disk can be written and has room.

    Missing files, and those in a folder that is named already, are no problem.
    """

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
        folders = [f"{self._root}/{part}" for part in journal.FOLDERS if part != "sessions"]  # its listing shows it
        if is_read_only(self._root):
            self.problem = f"Events are lost: the disk of {self._root} is read-only. Mount it writable."
            return
        found = [each for each in folders if _is_closed(each, os.R_OK | os.W_OK | os.X_OK)]
        for session_id in session_ids:
            files = (journal.locate_journal(self._root, session_id), journal.locate_lock(self._root, session_id))
            found += [each for each in files if _is_closed(each, os.R_OK)]
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        paths = ", ".join(found[:NAMED]) + more
        self.problem = f"{paths}: no permission, so hooks can't record there. See `atm-tui doctor`." if found else None
        if self.problem is None and has_no_room(self._root):
            self.problem = f"Events are lost: the disk of {self._root} is full. Make room there."


def is_read_only(folder: str) -> bool:
    """Whether the disk of a folder is mounted read-only; False if unknown."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def has_no_room(folder: str) -> bool:
    """Whether the disk of a folder has no space for more bytes or files; False if unknown."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    blocks, files = (disk.f_bavail, disk.f_favail) if os.geteuid() else (disk.f_bfree, disk.f_ffree)
    # some file systems don't count files
    return disk.f_blocks > 0 and (blocks == 0 or (disk.f_files > 0 and files == 0))


def _is_closed(path: str, mode: int) -> bool:
    """Whether something is there that this user may not access."""
    return not os.access(path, mode) and os.access(path, os.F_OK)
