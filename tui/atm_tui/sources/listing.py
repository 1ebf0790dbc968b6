"""Finds the files of a folder that changed since the last scan. All sources notice changes in this way."""

import os
from collections.abc import Callable
from pathlib import Path

Stamp = tuple[int, int, int]
"""Inode, modification time in ns, and size in bytes."""
_UNREAD: Stamp = (-1, -1, -1)
"""A stamp that no file has, for files that have to be read again."""


class Listing:
    """The files of one folder by name, and what changed since the last scan. A folder that does not exist is empty."""

    def __init__(self, folder: Path, wanted: Callable[[str], bool]) -> None:
        """`wanted` picks files by their name."""
        self.folder = folder
        self.error: str | None = None
        """Why the folder can't be listed; None when it can, or when it does not exist."""
        self._wanted = wanted
        self._stamps: dict[str, Stamp] = {}

    def list_paths(self) -> list[str]:
        """Returns the folder and its files, as of the last scan."""
        return [str(self.folder), *(f"{self.folder}/{name}" for name in self._stamps)]

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
        # Listing a directory during a rename can miss the name that is replaced: a known file is gone only if a look
        # at its own path finds nothing either.
        for name in dict.fromkeys((*names, *before)):
            try:
                found = os.stat(f"{self.folder}/{name}")  # noqa: PTH116  for every session at every refresh
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:  # it exists but can't be accessed: its reader finds out why
                stamps[name] = before.get(name, _UNREAD)
                continue
            stamps[name] = (found.st_ino, found.st_mtime_ns, found.st_size)
        self._stamps = stamps
        changed = sorted(name for name, stamp in stamps.items() if before.get(name) != stamp)
        return changed, sorted(name for name in before if name not in stamps)

    def retry(self, name: str) -> None:
        """Makes the next scan return this file again, as changed or as gone."""
        self._stamps[name] = _UNREAD
