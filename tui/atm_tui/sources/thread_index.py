"""The index of a transcript: where each entry is. Made from the end backwards, so that the end can be shown at once."""

import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from atm_hooks.regular_file import open_regular, read_range
from atm_tui.model.conversation import Entry, EntryKind, EntryText, Place
from atm_tui.sources.conversation_lines import FoundLine, find_entries, read_entry
from atm_tui.sources.transcript_tail import FileChange, Tail

LONGEST = 16 << 20
"""Bytes of the longest line that is read."""
_CHUNK = 1 << 20


class ThreadIndex:
    """Indexes the transcript at `path`. One thread at a time may call what reads; `entries` can be used meanwhile."""

    _step = _CHUNK
    """Bytes that are read at once to find the start of a line."""

    def __init__(self, path: str, thread: str = "") -> None:
        self.path = path
        self.thread = thread
        self.generation = 0
        """How often the index began anew."""
        self.is_checked = False
        """Whether `check` was called."""
        self._reset()

    def _reset(self) -> None:
        self._tail = Tail(self.path, LONGEST)
        self._is_open = False
        self.begin = 0
        """Offset from which on lines are indexed."""
        self.indexed: tuple[int, int] | None = None
        """The offsets between which the entries, calls and results of all lines are known; None: nothing was read. It is set
        last, so that another thread that reads it finds all that it promises.
        """
        self.entries: Sequence[Entry] = ()
        """In the order of the file. Replaced when there are more, never changed."""
        self.results: dict[str, Place] = {}
        """By the id of a call: where its result is."""
        self.calls: dict[str, Entry] = {}
        """By its id: each call."""
        self.orphans: list[Entry] = []
        """Results whose calls are not known so far, the newest last."""

    @property
    def size(self) -> int:
        """Number of bytes up to the end of the last complete line."""
        return self._tail.offset

    @property
    def is_behind(self) -> bool:
        """Whether there are older lines that are not indexed."""
        return self.begin > 0

    @property
    def problem(self) -> str | None:
        """Why the file can't be read; None when it can."""
        return self._tail.problem or (None if self._tail.state else "No such file")

    def check(self) -> bool | None:
        """Indexes new lines; returns whether there are any, or None if the file was replaced and the index begins anew."""
        self.is_checked = True
        change = self._tail.check()
        if change is FileChange.SAME and (self._is_open or self._tail.state is None):
            return False
        if change in (FileChange.REPLACED, FileChange.GONE):
            self.generation += 1
            self._reset()
            self._tail.check()
        if not self._is_open:
            self._open()
            return None
        self._add(self._read_newer(), newer=True)
        return True

    def _open(self) -> None:
        """Begins at the end of the last complete line."""
        if (state := self._tail.state) is None:
            return
        try:
            file = open_regular(self.path)
            try:
                self.begin = self._tail.offset = self._find_line_start(file, state.stamp[0])
            finally:
                os.close(file)
        except OSError as error:
            self._tail.problem = error.strerror or str(error)
            return
        self._is_open = True
        self._add(self._read_newer(), newer=True)

    def _read_newer(self) -> list[FoundLine]:
        found, expected = [], self._tail.offset
        for line in self._tail.read_lines():
            at = self._tail.offset - len(line) - 1
            if at > expected:
                found.append(self._make_long(expected, at - expected - 1))
            found.append(find_entries(line, at, self.thread))
            expected = self._tail.offset
        if self._tail.offset > expected:
            found.append(self._make_long(expected, self._tail.offset - expected - 1))
        return found

    def _make_long(self, offset: int, size: int) -> FoundLine:
        return FoundLine([Entry(Place(offset, size, 0), EntryKind.UNREADABLE, self.thread, "long")], {})

    def read_older(self, size: int) -> None:
        """Indexes lines before those that are indexed, about `size` bytes of them."""
        if not self.begin:
            return
        try:
            file = open_regular(self.path)
            try:
                self._add(self._read_block(file, size), newer=False)
            finally:
                os.close(file)
        except OSError as error:
            self._tail.problem, self.begin = error.strerror or str(error), 0

    def _read_block(self, file: int, size: int) -> list[FoundLine]:
        end, start, data = self.begin, self.begin, b""
        while start and (cut := data.find(b"\n")) in (-1, len(data) - 1):  # not one line is whole
            if end - start > LONGEST:
                self.begin = self._find_line_start(file, end - 1)
                return [self._make_long(self.begin, end - self.begin - 1)]
            start = max(0, end - max(size, 4 * len(data)))
            data = self._read(file, start, end - start)
            if len(data) < end - start:  # cut meanwhile; the next check notices
                self.begin = 0
                return []
        if start:
            data, start = data[cut + 1 :], start + cut + 1
        self.begin, found = start, []
        for line in data.split(b"\n")[:-1]:
            is_long = len(line) > LONGEST
            found.append(self._make_long(start, len(line)) if is_long else find_entries(line, start, self.thread))
            start += len(line) + 1
        return found

    def _read(self, file: int, start: int, size: int) -> bytes:
        """Reads bytes before those that are indexed."""
        return read_range(file, start, size)

    def _find_line_start(self, file: int, end: int) -> int:
        """Returns the offset after the last newline before `end`; 0 without one."""
        while end > 0:
            start = max(0, end - self._step)
            if (at := self._read(file, start, end - start).rfind(b"\n")) >= 0:
                return start + at + 1
            end = start
        return 0

    def _add(self, found: Sequence[FoundLine], *, newer: bool) -> None:
        """Adds entries. A result belongs to the entry of its call; it becomes an entry itself only if it has none."""
        added: list[Entry] = []
        for line in found:
            self.results.update(line.results)
            added += line.entries
        self.calls.update((each.call_id, each) for each in added if each.kind is EntryKind.CALL)
        shown = [each for each in added if each.kind is not EntryKind.RESULT]
        if newer:
            lost = [each for each in added if each.kind is EntryKind.RESULT and each.call_id not in self.calls]
            self.orphans += lost
            self.entries = [*self.entries, *shown] if shown else self.entries
        else:
            self.orphans[:0] = [each for each in added if each.kind is EntryKind.RESULT]
            self.entries = [*shown, *self.entries] if shown else self.entries
            self.orphans = [each for each in self.orphans if each.call_id not in self.calls]
        if not self.begin and self.orphans:
            self.entries = sorted([*self.entries, *self.orphans], key=get_order)
            self.orphans = []
        self.indexed = self.begin, self.size

    def fetch_text(self, entry: Entry, longest_result: int = LONGEST) -> EntryText:
        """Reads what an entry says. A result of more than `longest_result` bytes is left out, and its size returned instead."""
        try:
            file = open_regular(self.path)
            try:
                said = _read_place(file, entry.place, entry.kind)
                place = self.results.get(entry.call_id) if entry.kind is EntryKind.CALL else None
                if place is None or said.is_missing:
                    return said
                if place.size > longest_result:
                    return EntryText(said.text, said.given, result_size=place.size)
                result = _read_place(file, place, EntryKind.RESULT)
                return EntryText(said.text, said.given, result.result, result.is_failed)
            finally:
                os.close(file)
        except OSError:
            return EntryText(is_missing=True)

    def list_lines(self, begin: int, end: int) -> Iterator[tuple[bytes, int]]:
        """Yields the lines between two offsets that are not too long, each with its offset. Raises OSError."""
        file = open_regular(self.path)
        try:
            position = begin
            while position < end:
                data = read_range(file, position, min(_CHUNK, end - position))
                last = data.rfind(b"\n") + 1
                if not last:  # a longer line
                    size = _measure_line(file, position, end)
                    if size <= LONGEST:
                        yield read_range(file, position, size), position
                    position += size + 1
                    continue
                for line in data[: last - 1].split(b"\n"):
                    yield line, position
                    position += len(line) + 1
        finally:
            os.close(file)


def get_order(entry: Entry) -> tuple[int, int]:
    """Returns what sorts entries of one file."""
    return entry.place.offset, entry.place.number


def find_position(entries: Sequence[Entry], place: Place) -> int:
    """Returns the index of the first entry at or after a place."""
    return bisect_left(entries, (place.offset, place.number), key=get_order)


def _read_place(file: int, place: Place, kind: EntryKind) -> EntryText:
    if place.size > LONGEST or kind is EntryKind.UNREADABLE:
        return EntryText()
    line = read_range(file, place.offset, place.size)
    return read_entry(line, place, kind) if len(line) == place.size else EntryText(is_missing=True)


def _measure_line(file: int, start: int, end: int) -> int:
    """Returns the bytes of the line at `start`, without its newline."""
    position = start
    while position < end and (data := read_range(file, position, _CHUNK)):
        if (at := data.find(b"\n")) >= 0:
            return position + at - start
        position += len(data)
    return max(1, end - start)
