"""Finds the files of a folder, and which of them changed since the last scan. All sources notice changes in this way."""

import os
import time
from collections.abc import Callable, Collection
from itertools import islice
from pathlib import Path

Stamp = tuple[int, int, int]
"""Inode, modification time in ns, and size in bytes."""
SETTLED = 2.0
"""Seconds after which a modification time is trusted: changes in one clock tick have the same time."""
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
        self._retried: set[str] = set()
        """Names that the next scan returns again."""

    def list_paths(self) -> list[str]:
        """Returns the folder and its files, as of the last scan."""
        return [str(self.folder), *(f"{self.folder}/{name}" for name in self._stamps)]

    def scan(self, paths: Collection[str] | None = None) -> tuple[list[str], list[str]]:
        """Returns the names of new or changed files, and of those that are gone, each sorted.

        `paths`: files that may have changed, also of other folders; None: lists the folder, and looks at each of its files.
        """
        retried, self._retried = self._retried, set()
        if paths is not None:
            folder = f"{self.folder}/"
            named = {path.removeprefix(folder) for path in paths if path.startswith(folder)}
            return self._look_at({name for name in named if "/" not in name and self._wanted(name)} | retried)
        self.error = None
        try:
            with os.scandir(self.folder) as entries:
                names = [entry.name for entry in entries if self._wanted(entry.name)]
        except (FileNotFoundError, NotADirectoryError):
            names = []
        except (OSError, ValueError) as error:
            self.error = f"{self.folder}: {getattr(error, 'strerror', None) or error}"
            return [], []
        # Listing a directory during a rename can miss the name that is replaced: a known file is gone only if a look
        # at its own path finds nothing either.
        return self._look_at({*names, *self._stamps})

    def _look_at(self, names: Collection[str]) -> tuple[list[str], list[str]]:
        """Looks at these files; returns the names of those that are new or changed, and of those that are gone, each sorted."""
        changed, gone = [], []
        for name in names:
            before = self._stamps.get(name)
            try:
                found = os.stat(f"{self.folder}/{name}")  # noqa: PTH116  for many sessions at a time
            except (FileNotFoundError, NotADirectoryError):
                if before is not None:
                    del self._stamps[name]
                    gone.append(name)
                continue
            except OSError:  # it exists but can't be accessed: its reader finds out why
                stamp = before or _UNREAD
            else:
                stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
            self._stamps[name] = stamp
            if stamp != before:
                changed.append(name)
        return sorted(changed), sorted(gone)

    def retry(self, name: str) -> None:
        """Makes the next scan return this file again, as changed or as gone."""
        self._stamps[name] = _UNREAD
        self._retried.add(name)


class FolderEntries:
    """What is in one folder, listed again only when the folder changed. One that does not exist, or can't be listed, is empty."""

    def __init__(self, path: str, most: int | None = None) -> None:
        """`most`: the largest number of entries that are listed; None: all."""
        self.path = path
        self.entries: tuple[tuple[str, bool], ...] = ()
        """Names, sorted, and for each whether it is a folder, and no link to one."""
        self.changed_at = 0.0
        """When the folder changed last, epoch seconds; 0 for one that can't be listed."""
        self._most = most
        self._stamp: tuple[int, int] | None = None

    def refresh(self) -> bool:
        """Lists the folder if it changed; returns whether `entries` may differ from before."""
        try:
            found = os.stat(self.path)  # noqa: PTH116  for every session at every refresh
            stamp = (found.st_ino, found.st_mtime_ns)
            if stamp == self._stamp:
                return False
            with os.scandir(self.path) as entries:
                listed = [(each.name, each.is_dir(follow_symlinks=False)) for each in islice(entries, self._most)]
        except (OSError, ValueError):
            was_listed = bool(self.changed_at)
            self._stamp, self.entries, self.changed_at = None, (), 0.0
            return was_listed
        self.entries, self.changed_at = tuple(sorted(listed)), found.st_mtime
        self._stamp = stamp if time.time() - found.st_mtime > SETTLED else None
        return True
