"""A small JSON file of the app under `app/` in the state folder. Hooks never read it; several apps may share it."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from atm_hooks.journal import take_lock
from atm_hooks.regular_file import read_regular
from atm_tui.model.decoding import decode_json
from atm_tui.sources.listing import Stamp
from atm_tui.sources.state_schema import is_newer

_MAX_SIZE = 16 << 20
"""Largest size of a file in bytes; the app writes no larger ones."""
_LOCK_SECONDS = 1.0
"""Seconds to wait for another process that changes the file."""

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
            value = decode_json(read_regular(str(self._path), _MAX_SIZE), self._kind)
        except (OSError, ValueError, RecursionError):  # errors of msgspec are ValueErrors
            return None
        self._stamp = stamp
        return value

    def write(self, value: T) -> None:
        """Replaces the file, which only the user can read. Leaves it alone in the state folder of a newer version."""
        if is_newer(self._path.parent.parent):
            return
        temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            self._make_folders()
            temporary.touch(mode=0o600)
            temporary.write_bytes(msgspec.json.encode(value))
            temporary.replace(self._path)
            self._stamp = self._read_stamp()

    @contextlib.contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Keeps other processes from changing the file meanwhile. Goes on without where there can be no lock."""
        lock = None
        with contextlib.suppress(OSError):
            self._make_folders()
            lock = take_lock(str(self._path.with_suffix(".lock")), _LOCK_SECONDS)
        try:
            yield
        finally:
            if lock is not None:
                os.close(lock)

    def _make_folders(self) -> None:
        # one by one: with `parents`, the outer folder would get the umask's mode
        for folder in (self._path.parent.parent, self._path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _read_stamp(self) -> Stamp:
        found = self._path.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size
