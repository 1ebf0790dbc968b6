"""Which files of a folder changed since the last scan: the one way in which sources notice a change."""

import os
from collections.abc import Callable
from pathlib import Path

Stamp = tuple[int, int, int]
"""inode, modification time in ns, size in bytes"""
_UNREAD: Stamp = (-1, -1, -1)
"""The stamp of a file that has to be read again; no file has it."""


class Listing:
    """The files of one folder by name, and what changed since the last scan. A folder that does not exist is empty."""

    def __init__(self, folder: Path, wanted: Callable[[str], bool]) -> None:
        """`wanted` picks files by their name."""
        self.folder = folder
        self.error: str | None = None
        """Why the folder can't be listed; None while it can, or while it does not exist."""
        self._wanted = wanted
        self._stamps: dict[str, Stamp] = {}

    def scan(self) -> tuple[list[str], list[str]]:
        """Returns the names of new or changed files, and of those that are gone, each sorted."""
        self.error = None
        try:
            with os.scandir(self.folder) as entries:
                names = [entry.name for entry in entries if self._wanted(entry.name)]
        except (FileNotFoundError, NotADirectoryError):
            names = []
        except (OSError, ValueError) as error:
            self.error = f"{self.folder}: {getattr(error, 'strerror', None) or error}"
            return [], []
        before, stamps = self._stamps, {}
        # A directory that changes while it is read may leave out a name that is being replaced by a rename:
        # a known file is gone only when it can't be found by its name either.
        for name in dict.fromkeys((*names, *before)):
            try:
                found = os.stat(f"{self.folder}/{name}")  # noqa: PTH116  for every session at every refresh
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:  # it exists, and can't be looked at now: its reader finds out why
                stamps[name] = before.get(name, _UNREAD)
                continue
            stamps[name] = (found.st_ino, found.st_mtime_ns, found.st_size)
        self._stamps = stamps
        changed = sorted(name for name, stamp in stamps.items() if before.get(name) != stamp)
        return changed, sorted(name for name in before if name not in stamps)

    def retry(self, name: str) -> None:
        """Makes the next scan name this file again: as changed, or as gone."""
        self._stamps[name] = _UNREAD
