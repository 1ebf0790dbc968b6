"""Caches a result that has a part for each session, so that after a change of one session only that one is read again.

Each part has sources of its own, and all have some in common: when one of these changes, all is read again. As for
`KeptResult`, only stamps are compared, and what changed shortly before it was read is not kept.
"""

import contextlib
import os
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from atm_hooks.regular_file import read_regular
from atm_tui.sources.kept_result import (
    LARGEST,
    LONGEST,
    MARGIN,
    MISSING,
    Sources,
    are_unchanged,
    describe_machine,
    flatten,
    give,
    pack,
    pair,
    read_stamps,
    take,
    unpack,
)
from atm_tui.sources.new_file import replace_file

_END = ".json"
"""How the names of files end that are compared where only the names in a folder count."""
_SHARED = ""
"""The name of what is common to all parts."""


class Part:
    """What was found of one session, and what it was made of."""

    def __init__(self, texts: Sequence[str], files: Sequence[str], identity: Sequence[str], sources: Sources) -> None:
        """`texts`: the result. `files`: those that are read first, which name all others. `identity`: what the parts of other
        sessions may depend on; a part that has another one can't replace this one alone. `sources`: all else that it was made of.
        """
        self.texts = texts
        self.files = files
        self.identity = identity
        self.sources = sources


class SharedSources:
    """What all parts depend on."""

    def __init__(self, sources: Sources, names: Mapping[str, Sequence[str]], texts: Sequence[str] = ()) -> None:
        """`names`: by folder the names of its files that were read, of which only others are a change. `texts`: a result of
        these sources alone.
        """
        self.sources = sources
        self.names = names
        self.texts = texts


class _KeptPart:
    """A part as it stands in the file."""

    def __init__(self, made_at: float, until: float, count: int, lists: Sequence[list[str]]) -> None:
        """`count`: of the files that are read first; `lists`: texts, identity, processes and stamps."""
        self.made_at, self.until, self._count, self._lists = made_at, until, count, lists
        self.texts, self.identity, self.processes, self.stamps = lists

    def is_valid(self, now: float) -> bool:
        """Whether it is still what a new reading would give. Raises OSError."""
        return self.made_at <= now < self.until and are_unchanged(self.stamps, self.processes)

    @property
    def files(self) -> list[str]:
        """The files that are read first."""
        return self.stamps[: 2 * self._count : 2]

    def list_fields(self) -> list[str]:
        """Returns it as texts."""
        return [repr(self.made_at), repr(self.until), str(self._count), *give(self._lists)]


def _take_part(fields: Iterator[str]) -> _KeptPart:
    """Makes a part of its fields. Raises StopIteration or ValueError for anything but what `list_fields` returns."""
    made_at, until, count = float(next(fields)), float(next(fields)), int(next(fields))
    return _KeptPart(made_at, until, count, [take(fields) for _ in range(4)])


class KeptParts:
    """The parts in one file of the app's cache folder. Raises nothing: one that can't be read or written counts as missing."""

    def __init__(self, cache_dir: Path, name: str, key: Sequence[str]) -> None:
        """`key`: everything else that the result depends on, such as the given folders."""
        self._path = f"{cache_dir}/{name}"
        self._key = list(key)
        self._parts: dict[str, _KeptPart] = {}
        self._names: list[str] = []
        self.stale: frozenset[str] = frozenset()
        """Names of the parts that have to be read again."""

    def load(self, now: float) -> bool:
        """Reads the file; returns whether what all parts depend on is unchanged. `now`: epoch seconds."""
        self._parts, self._names, self.stale = {}, [], frozenset()
        try:
            fields = iter(unpack(read_regular(self._path, LARGEST)))
            if take(fields) != self._key or take(fields) != describe_machine():
                return False
            names = take(fields)
            if any(_read_names(folder) != found for folder, found in pair(names)):
                return False
            parts = {name: _take_part(fields) for name in take(fields)}
            if not parts[_SHARED].is_valid(now):
                return False
            stale = frozenset(name for name, part in parts.items() if not part.is_valid(now))
        except (OSError, ValueError, KeyError, StopIteration):
            return False
        self._parts, self._names, self.stale = parts, names, stale
        return True

    @property
    def texts(self) -> dict[str, list[str]]:
        """The results by the names of the parts, as of the last `load` or change."""
        return {name: part.texts for name, part in self._parts.items() if name != _SHARED}

    @property
    def shared_texts(self) -> list[str]:
        """The result of what all parts depend on, as of the last `load`."""
        return self._parts[_SHARED].texts

    def list_files(self) -> list[str]:
        """Returns the files to read again for the stale parts."""
        return [path for name in self.stale for path in self._parts[name].files]

    def renew(self, parts: Mapping[str, Part], made_at: float) -> bool:
        """Replaces the stale parts by ones that were read from `made_at` on; returns whether that is possible.

        It is not when others have come or are missing, or when one is of such a kind that others may differ, too.
        """
        if parts.keys() != self.stale or any(
            list(parts[each].identity) != self._parts[each].identity for each in parts
        ):
            return False
        renewed = {name: _keep(part, made_at) for name, part in parts.items()}
        self._parts |= renewed
        if any(part.until for part in renewed.values()):
            self._write()
        return True

    def save(self, parts: Mapping[str, Part], shared: SharedSources, made_at: float) -> None:
        """Keeps parts that were all read from `made_at` (epoch seconds) on; nothing, if what is common to them just changed."""
        kept = {_SHARED: _keep(Part(shared.texts, [], [], shared.sources), made_at)}
        if sys.platform != "linux" or not kept[_SHARED].until:
            return
        with contextlib.suppress(OSError, ValueError):
            # the folder as it is now, its names as they were read
            self._names = flatten({each: _describe_names(each, sorted(names)) for each, names in shared.names.items()})
            self._parts = kept | {name: _keep(part, made_at) for name, part in parts.items()}
            self._write()

    def _write(self) -> None:
        fields = give((self._key, describe_machine(), self._names, list(self._parts)))
        with contextlib.suppress(OSError, ValueError):
            data = pack([*fields, *(word for part in self._parts.values() for word in part.list_fields())])
            if len(data) <= LARGEST:
                replace_file(self._path, data)


def _keep(part: Part, made_at: float) -> _KeptPart:
    """Returns a part as it is kept; if something that it was made of changed just before, as one to be read again."""
    sources, until = part.sources, made_at + LONGEST
    if sources.until is not None:
        until = min(until, sources.until)
    stamps = read_stamps([*part.files, *sources.paths], made_at - MARGIN)
    if stamps is None:
        stamps, until = dict.fromkeys(part.files, MISSING), 0.0
    processes = {str(pid): start for pid, start in sources.processes.items()}
    lists = [list(part.texts), list(part.identity), flatten(processes), flatten(stamps)]
    return _KeptPart(made_at, until, len(part.files), lists)


def _read_names(folder: str) -> str:
    """Returns a text that changes with the names of the files in a folder. Raises OSError."""
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        names = []
    return _describe_names(folder, sorted(name for name in names if name.endswith(_END)))


def _describe_names(folder: str, names: Sequence[str]) -> str:
    """Raises OSError."""
    try:
        found = os.stat(folder)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    return f"{found.st_dev} {found.st_ino} {zlib.crc32(os.fsencode(chr(0).join(names)))} {len(names)}"
