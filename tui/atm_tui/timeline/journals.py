"""Reads journals: all events, or those that were appended since the last read. The only reader of journals in the app."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from atm_hooks import journal
from atm_hooks.regular_file import LIMIT, open_regular, read_range, read_regular
from atm_tui.model.decoding import make_json_decoder
from atm_tui.timeline.event import Event

FIRST = 128 * 1024
"""Bytes from the end of a journal at which a reader begins by default."""

_decode = make_json_decoder(Event).decode


def decode_event(line: bytes) -> Event | None:
    """Decodes a line of a journal; None for a header, a cut line and anything else that is not an event."""
    if not line.startswith(b'{"at":'):
        return None
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def decode_events(data: bytes) -> Iterator[Event]:
    """Decodes the events of a journal, in its order; all other lines are skipped."""
    for line in data.split(b"\n"):
        if (event := decode_event(line)) is not None:
            yield event


def read_history(state_dir: Path, session_id: str) -> list[Event]:
    """Returns all events of a session that are still on disk, oldest first. Raises OSError when a file can't be read."""
    path = journal.locate_journal(str(state_dir), session_id)
    found: list[Event] = []
    for each in (path + ".1", path):
        try:
            found += decode_events(read_regular(each))
        except FileNotFoundError:
            continue
    return found


class JournalReader:
    """Follows one journal, also when it is rotated. A journal that can't be read gives no events."""

    def __init__(self, state_dir: Path, session_id: str, first: int | None = FIRST) -> None:
        """`first`: bytes from the end at which the first read begins; None: with all of the journal and the generation before."""
        self._path = journal.locate_journal(str(state_dir), session_id)
        self._first = first
        self._inode: int | None = None
        self._offset = 0

    @property
    def may_have_news(self) -> bool:
        """Whether the journal may have changed since the last read: a single look, without reading."""
        try:
            status = os.stat(self._path)  # noqa: PTH116  each second
        except (OSError, ValueError):
            return self._inode is not None
        return (status.st_ino, status.st_size) != (self._inode, self._offset)

    def read_events(self) -> list[Event]:
        """Returns the events since the last read, in the order of the journal; an incomplete line is left for the next read."""
        return list(decode_events(self.read_lines()))

    def read_lines(self) -> bytes:
        """Returns the complete lines that were appended since the last read."""
        try:
            file = open_regular(self._path)
        except FileNotFoundError:
            if self._inode is not None and not self._was_rotated():
                self._inode, self._offset = None, 0
            return b""
        except OSError:
            return b""
        try:
            status = os.fstat(file)
            if self._inode is None:
                return self._read_first(file, status)
            found = b""
            if status.st_ino != self._inode:
                found = self._read_rest_of_old()
                self._inode, self._offset = status.st_ino, 0
            if status.st_size < self._offset:
                self._offset = 0
            return found + self._read_from_offset(file)
        except OSError:
            return b""
        finally:
            os.close(file)

    def _read_first(self, descriptor: int, status: os.stat_result) -> bytes:
        self._inode = status.st_ino
        if self._first is None:
            try:
                before = read_regular(self._path + ".1")
            except OSError:
                before = b""
            return before + b"\n" + self._read_from_offset(descriptor)
        self._offset = max(0, status.st_size - self._first)
        skip = self._offset > 0
        data = self._read_from_offset(descriptor)
        return data[data.find(b"\n") + 1 :] if skip else data

    def _read_from_offset(self, descriptor: int) -> bytes:
        """Returns the complete lines from the offset on, and moves the offset past them."""
        try:
            data = read_range(descriptor, self._offset, LIMIT)
        except OSError:
            return b""
        data = data[: data.rfind(b"\n") + 1]
        self._offset += len(data)
        return data

    def _was_rotated(self) -> bool:
        """Whether the file that was being read is now the old generation; the new one may appear a moment later."""
        try:
            return os.stat(self._path + ".1").st_ino == self._inode  # noqa: PTH116
        except OSError:
            return False

    def _read_rest_of_old(self) -> bytes:
        """Returns what was appended to the old generation after the last read; empty when its file is gone."""
        try:
            file = open_regular(self._path + ".1")
        except OSError:
            return b""
        try:
            return self._read_from_offset(file) if os.fstat(file).st_ino == self._inode else b""
        except OSError:
            return b""
        finally:
            os.close(file)
