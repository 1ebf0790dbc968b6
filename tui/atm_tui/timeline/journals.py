"""What is new in the journal of a session: read on from where the last look ended, across the change to a new generation."""

import os
from pathlib import Path
from typing import Any

from atm_hooks import journal

FIRST = 128 * 1024
"""Bytes from the end at which the first look begins."""


class JournalReader:
    """Follows one journal. Nothing is raised for what is wrong on disk: it is as if nothing were new."""

    def __init__(self, state_dir: Path, session_id: str, first: int | None = FIRST) -> None:
        """`first`: bytes from the end at which the first look begins; None: with the generation before."""
        self._path = journal.journal_path(str(state_dir), session_id)
        self._first = first
        self._inode: int | None = None
        self._offset = 0

    def news(self) -> list[dict[str, Any]]:
        """The events since the last look, in the order of the journal; a line that is not complete yet waits."""
        return journal.events(self.lines())

    def lines(self) -> bytes:
        """The same as the lines of the journal, complete ones only."""
        try:
            file = Path(self._path).open("rb")  # noqa: SIM115  closed below, once the rest of the old one is read
        except FileNotFoundError:
            if self._inode is not None and not self._moved_away():
                self._inode, self._offset = None, 0
            return b""
        except OSError:
            return b""
        with file:
            status = os.fstat(file.fileno())
            if self._inode is None:
                return self._first_look(file.fileno(), status)
            found = b""
            if status.st_ino != self._inode:
                found = self._rest_of_old()
                self._inode, self._offset = status.st_ino, 0
            if status.st_size < self._offset:
                self._offset = 0
            return found + self._read(file.fileno())

    def _first_look(self, descriptor: int, status: os.stat_result) -> bytes:
        self._inode = status.st_ino
        if self._first is None:
            try:
                before = journal.read(self._path + ".1")
            except OSError:
                before = b""
            return before + b"\n" + self._read(descriptor)
        self._offset = max(0, status.st_size - self._first)
        skip = self._offset > 0
        data = self._read(descriptor)
        return data[data.find(b"\n") + 1 :] if skip else data

    def _read(self, descriptor: int) -> bytes:
        """The complete lines from the offset on, which moves behind them."""
        parts = []
        at = self._offset
        try:
            while part := os.pread(descriptor, 1 << 20, at):
                parts.append(part)
                at += len(part)
        except OSError:
            return b""
        data = b"".join(parts)
        data = data[: data.rfind(b"\n") + 1]
        self._offset += len(data)
        return data

    def _moved_away(self) -> bool:
        """Whether what was read so far is the generation before now; its successor may be a moment late."""
        try:
            return os.stat(self._path + ".1").st_ino == self._inode  # noqa: PTH116
        except OSError:
            return False

    def _rest_of_old(self) -> bytes:
        """What was appended to the generation before, after the last look; nothing when that one is gone too."""
        try:
            with Path(self._path + ".1").open("rb") as file:
                return self._read(file.fileno()) if os.fstat(file.fileno()).st_ino == self._inode else b""
        except OSError:
            return b""
