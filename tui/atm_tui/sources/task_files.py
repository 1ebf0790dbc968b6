"""Reads the task lists of Claude Code: `<config>/tasks/<list>/<id>.json`, a file for each task.

A session's list is named after its id, a team's list after the team. The messages of a team, in `<config>/teams`,
are never read.
"""

import os
import re
import time
from collections.abc import Iterable
from itertools import islice

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.model.checked import read_text
from atm_tui.model.task import Task, TaskFolder, TaskState
from atm_tui.sources.listing import SETTLED, FolderEntries, Stamp

MOST_TASKS = 200
"""Largest number of tasks of a list that are read, those with the lowest ids."""
MOST_LISTS = 2000
"""Lists that are kept in memory, those that were read last."""
_MOST_ENTRIES = 10_000
"""Largest number of entries of a folder that are examined."""
_MAX_LENGTH = 500
"""Characters that are kept of a text."""
_MAX_SIZE = 256 << 10
"""Largest size of a task's file in bytes."""
_OTHER_CHARACTERS = r"[^a-zA-Z0-9_-]"
_STATES = {state.value: state for state in TaskState}


def name_lists(session_id: str, teams: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the possible names of a session's lists: its own, that of the team it leads, those of `teams`."""
    names = (session_id, f"session-{session_id[:8]}", *teams)
    return tuple(dict.fromkeys(_replace_other_characters(name) for name in names if name))


def _replace_other_characters(name: str) -> str:
    return name if name.isascii() and name.replace("-", "").isalnum() else re.sub(_OTHER_CHARACTERS, "-", name)


def parse_task(data: bytes, task_id: str) -> Task | None:
    """Decodes the file of a task; None when it is damaged or half written. Fields of a wrong type count as missing."""
    try:
        given = msgspec.json.decode(data)
    except (ValueError, RecursionError):  # errors of msgspec are ValueErrors
        return None
    if not isinstance(given, dict):
        return None
    blocked_by = given.get("blockedBy")
    return Task(
        task_id=task_id,
        subject=_cut_text(given.get("subject")),
        state=_STATES.get(_cut_text(given.get("status")), TaskState.PENDING),
        owner=_cut_text(given.get("owner")),
        blocked_by=tuple(filter(None, map(_cut_text, blocked_by[:MOST_TASKS]))) if isinstance(blocked_by, list) else (),
    )


def _cut_text(value: object) -> str:
    return read_text(value, _MAX_LENGTH)


class _FolderNames:
    """The names in a folder that match the pattern `wanted`."""

    def __init__(self, path: str, wanted: str) -> None:
        self.names: dict[str, None] = {}
        """In the order of their numbers; a dict, for fast lookup."""
        self.folder = FolderEntries(path, _MOST_ENTRIES)
        self._wanted = wanted

    def refresh(self) -> None:
        """Lists the folder if it changed."""
        if self.folder.refresh():
            names = [name for name, _ in self.folder.entries if re.fullmatch(self._wanted, name)]
            self.names = dict.fromkeys(sorted(names, key=lambda name: (len(name), name)))


class _TaskList:
    """One list; reads again only the files that changed."""

    def __init__(self, path: str) -> None:
        self._names = _FolderNames(path, r"\d{1,9}\.json")
        self._path = path
        self._read: dict[str, tuple[Stamp, Task | None]] = {}

    def list_paths(self) -> list[str]:
        """Returns the folder and its files, as of the last refresh."""
        return [self._path, *(f"{self._path}/{name}" for name in self._read)]

    def refresh(self) -> TaskFolder | None:
        """Returns the list as it is now; None when there is no task in it."""
        self._names.refresh()
        before, self._read = self._read, {}
        for name in islice(self._names.names, MOST_TASKS):
            path = f"{self._path}/{name}"
            old = before.get(name)
            try:
                found = os.stat(path)  # noqa: PTH116
                stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
                if old is None or old[0] != stamp or time.time() - found.st_mtime < SETTLED:
                    task = parse_task(read_regular(path, _MAX_SIZE), name.removesuffix(".json"))
                    old = stamp, task or (old[1] if old else None)
                self._read[name] = old
            except (OSError, ValueError):
                continue
        tasks = tuple(task for _, task in self._read.values() if task)
        return TaskFolder(tasks=tasks, changed_at=self._names.folder.changed_at) if tasks else None


class TaskFiles:
    """The task lists of one config folder. Looking for a list that does not exist costs nothing."""

    def __init__(self, config_dir: str) -> None:
        self._path = f"{config_dir}/tasks"
        self._found = _FolderNames(self._path, r"[a-zA-Z0-9_-]+")
        self._lists: dict[str, _TaskList] = {}

    def list_paths(self) -> list[str]:
        """Returns the folder, and the lists that were read with their files."""
        return [self._path, *(path for each in self._lists.values() for path in each.list_paths())]

    @property
    def is_empty(self) -> bool:
        """Whether there is no list at all."""
        return not self._found.names

    def refresh(self) -> None:
        """Finds out which lists exist."""
        self._found.refresh()
        for name in self._lists.keys() - self._found.names.keys():
            del self._lists[name]

    def read(self, names: Iterable[str]) -> TaskFolder | None:
        """Returns the list with one of these names, the newest of several; None without any."""
        found: list[TaskFolder] = []
        for name in names:
            if name in self._found.names:
                each = self._lists.pop(name) if name in self._lists else _TaskList(f"{self._path}/{name}")
                self._lists[name] = each
                if (tasks := each.refresh()) is not None:
                    found.append(tasks)
        while len(self._lists) > MOST_LISTS:
            del self._lists[next(iter(self._lists))]
        return max(found, key=lambda each: each.changed_at, default=None)
