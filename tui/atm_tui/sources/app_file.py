"""A small file that the app keeps for itself in the state folder, which the hooks never read; two apps may share it."""

import contextlib
import os
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class AppFile(Generic[T]):
    """A value as JSON under `app/`. A file that can't be read or written costs the memory of it, nothing else."""

    def __init__(self, state_dir: Path, name: str, kind: type[T]) -> None:
        self._path = state_dir / "app" / name
        self._kind = kind
        self._mark: tuple[int, int, int] | None = None

    def read(self) -> T | None:
        """The value when it is another than the one read or written last; None when not, or when it can't be read."""
        try:
            mark = self._look()
            if mark == self._mark:
                return None
            value = msgspec.json.decode(self._path.read_bytes(), type=self._kind)
        except (OSError, msgspec.MsgspecError):
            return None
        self._mark = mark
        return value

    def write(self, value: T) -> None:
        """Replaces the file, private to the user."""
        temp = self._path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            for folder in (
                self._path.parent.parent,
                self._path.parent,
            ):  # `parents` would make others than the last for all
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temp.touch(mode=0o600)
            temp.write_bytes(msgspec.json.encode(value))
            temp.replace(self._path)
            self._mark = self._look()

    def _look(self) -> tuple[int, int, int]:
        found = self._path.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size
