"""A small JSON file of the app under `app/` in the state folder. Hooks never read it; several apps may share it."""

import contextlib
import os
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from atm_hooks.regular_file import read_regular
from atm_tui.sources.listing import Stamp

_MAX_SIZE = 16 << 20
"""Bytes that a file may have; the app writes no larger ones."""

T = TypeVar("T")


class AppFile(Generic[T]):
    """One value as JSON. Raises nothing: a file that can't be read or written is treated as missing."""

    def __init__(self, state_dir: Path, name: str, kind: type[T]) -> None:
        self._path = state_dir / "app" / name
        self.path = str(self._path)
        self._kind = kind
        self._stamp: Stamp | None = None

    def read(self) -> T | None:
        """Returns the value if the file changed since this object last read or wrote it; None if not, or if it can't be read."""
        try:
            stamp = self._read_stamp()
            if stamp == self._stamp:
                return None
            value = msgspec.json.decode(read_regular(str(self._path), _MAX_SIZE), type=self._kind)
        except (OSError, ValueError, RecursionError):  # errors of msgspec are ValueErrors
            return None
        self._stamp = stamp
        return value

    def write(self, value: T) -> None:
        """Replaces the file, which only the user can read."""
        temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            # one by one: with `parents` the outer folder would get the umask's mode
            for folder in (self._path.parent.parent, self._path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.touch(mode=0o600)
            temporary.write_bytes(msgspec.json.encode(value))
            temporary.replace(self._path)
            self._stamp = self._read_stamp()

    def _read_stamp(self) -> Stamp:
        found = self._path.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size
