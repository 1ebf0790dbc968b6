"""Finds the files of a folder, and which of them changed since the last scan. All sources notice changes in this way."""

import os
import time
from collections.abc import Callable, Collection
from itertools import islice
from pathlib import Path

Stamp = tuple[int, int, int]
"""Inode, modification time in ns, and size in bytes."""
Age = tuple[int, str]
"""When a file changed last, in ns, and its name, since many may have changed at one time."""
NO_AGE: Age = (-1, "")
"""Older than any file."""
SETTLED = 2.0
"""Seconds after which a modification time is trusted: changes in one clock tick have the same time."""
_UNREAD: Stamp = (-1, -1, -1)
"""A stamp that no file has, for files that have to be read again."""
_LARGE = 2_000
"""Number of files from which on a scan looks only at some of those whose names and inodes are the same as before."""
_LAST, _IN_TURN = 500, 1_000
"""How many of them: those that changed last, and as many of the others, which take turns."""


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
        self._inodes: dict[str, int] = {}
        """By name, as the folder itself tells them, without a look at the files."""
        self._folder_stamp: tuple[int, int] | None = None
        """Inode and modification time of the folder when it was last listed; None when it has to be listed again."""
        self._turn = 0
        self._last: dict[str, None] = {}
        """The names of the files that changed last, the newest at the end."""

    @property
    def names(self) -> list[str]:
        """The names of its files, as of the last scan."""
        return list(self._stamps)

    def find_time(self, name: str) -> int:
        """Returns when a file changed last, in ns, as of the last scan; -1 when unknown."""
        return self._stamps.get(name, _UNREAD)[1]

    def find_age(self, name: str) -> Age:
        """Returns by what files are sorted from the oldest to the newest, as of the last scan."""
        return self.find_time(name), name

    def find_newest(self, count: int) -> Age:
        """Returns the age of the oldest of the `count` newest files, as of the last scan; NO_AGE with fewer files."""
        if count > len(self._stamps):
            return NO_AGE
        return sorted(((stamp[1], name) for name, stamp in self._stamps.items()), reverse=True)[count - 1]

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
        before = self._inodes
        try:
            self._list()
        except (FileNotFoundError, NotADirectoryError):
            self._inodes, self._folder_stamp = {}, None
        except (OSError, ValueError) as error:
            self.error = f"{self.folder}: {getattr(error, 'strerror', None) or error}"
            return [], []
        # Listing a directory during a rename can miss the name that is replaced: a known file is gone only if a look
        # at its own path finds nothing either.
        if len(self._stamps) < _LARGE:
            return self._look_at({*self._inodes, *self._stamps})
        return self._look_at({*self._pick(before), *retried})

    def _list(self) -> None:
        """Lists the folder, unless it is a large one that is the same as before. Raises OSError, ValueError."""
        if len(self._stamps) >= _LARGE:
            found = os.stat(self.folder)  # noqa: PTH116  as below
            stamp = (found.st_ino, found.st_mtime_ns)
            if stamp == self._folder_stamp:
                return
            self._folder_stamp = stamp if time.time() - found.st_mtime > SETTLED else None
        with os.scandir(self.folder) as entries:
            self._inodes = {entry.name: entry.inode() for entry in entries if self._wanted(entry.name)}

    def _pick(self, before: dict[str, int]) -> set[str]:
        """Returns the names of a large folder to look at: a file that was replaced has another inode, so what is the same as
        `before` is looked at for the sake of file systems without inodes, and of files that were changed in place.
        """
        names, inodes = list(self._stamps), self._inodes
        picked = {name for name, _ in inodes.items() ^ before.items()} if inodes is not before else set()
        picked |= inodes.keys() ^ self._stamps.keys()
        picked.update(self._last)
        self._turn = 0 if self._turn >= len(names) else self._turn
        picked.update(names[self._turn : self._turn + _IN_TURN])
        self._turn += _IN_TURN
        return picked

    def _look_at(self, names: Collection[str]) -> tuple[list[str], list[str]]:
        """Looks at these files; returns the names of those that are new or changed, and of those that are gone, each sorted."""
        changed, gone = [], []
        for name in names:
            before = self._stamps.get(name)
            try:
                found = os.stat(f"{self.folder}/{name}")  # noqa: PTH116  for many sessions at a time
            except (FileNotFoundError, NotADirectoryError):
                self._last.pop(name, None)
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
        self._note_last(sorted(changed, key=self.find_time) if len(changed) > _LAST else changed)
        return sorted(changed), sorted(gone)

    def _note_last(self, changed: list[str]) -> None:
        for name in changed[-_LAST:]:
            self._last.pop(name, None)
            self._last[name] = None
        while len(self._last) > _LAST:
            del self._last[next(iter(self._last))]

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
