"""Which files of a folder differ from the last look: the one way in which sources notice a change."""

import os
from collections.abc import Callable
from pathlib import Path

Mark = tuple[int, int, int]
"""inode, mtime in ns, size"""


class Listing:
    """The files of one folder by name, and what differs since the last look. A folder that is gone is an empty one."""

    def __init__(self, folder: Path, wanted: Callable[[str], bool]) -> None:
        """`wanted` picks files by their name."""
        self.folder = folder
        self.error: str | None = None
        """Why the folder can't be listed; None while it can, or is not there."""
        self._wanted = wanted
        self._marks: dict[str, Mark] = {}

    def look(self) -> tuple[list[str], list[str]]:
        """Names of new or changed files, and of those that went."""
        marks: dict[str, Mark] = {}
        self.error = None
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if self._wanted(entry.name):
                        try:
                            found = entry.stat()
                        except OSError:  # gone between listing and looking
                            continue
                        marks[entry.name] = (found.st_ino, found.st_mtime_ns, found.st_size)
        except (FileNotFoundError, NotADirectoryError):
            marks = {}
        except OSError as error:
            self.error = f"{self.folder}: {error.strerror}"
            return [], []
        old, self._marks = self._marks, marks
        changed = sorted(name for name, mark in marks.items() if old.get(name) != mark)
        return changed, sorted(name for name in old if name not in marks)

    def again(self, name: str) -> None:
        """Makes the next look name this file as changed once more."""
        self._marks.pop(name, None)
