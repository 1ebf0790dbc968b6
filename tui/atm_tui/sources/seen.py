"""What the user has looked at, by session: the app's own small file, which the hooks never read."""

import contextlib
import os
from pathlib import Path

import msgspec

_KEEP = 1000
AHEAD = 2.0
"""Seconds by which a look may lie ahead of the clock before it counts as one from before the clock was set back."""


class SeenFile:
    """Times of the last look, kept over restarts. A file that can't be read or written costs the memory, nothing else."""

    def __init__(self, state_dir: Path, name: str = "seen.json") -> None:
        self._path = state_dir / "app" / name
        self._mark: tuple[int, int, int] | None = None
        self._times: dict[str, float] = {}

    def refresh(self) -> bool:
        """Reads it again when another app wrote it; True when it did."""
        try:
            found = self._path.stat()
            mark = (found.st_ino, found.st_mtime_ns, found.st_size)
            if mark == self._mark:
                return False
            times = msgspec.json.decode(self._path.read_bytes(), type=dict[str, float])
        except (OSError, msgspec.MsgspecError):
            return False
        self._mark = mark
        self._times = {key: max(at, self._times.get(key, 0.0)) for key, at in times.items()}
        return True

    def at(self, session_id: str) -> float:
        """When the session was last looked at; 0 when never."""
        return self._times.get(session_id, 0.0)

    def look(self, session_id: str, at: float) -> None:
        """Notes a look, and keeps it. What another app noted meanwhile stays."""
        self.refresh()
        known = self._times.get(session_id, 0.0)
        self._times[session_id] = known if at < known <= at + AHEAD else at
        kept = sorted(self._times.items(), key=lambda item: -item[1])[:_KEEP]
        temp = self._path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temp.touch(mode=0o600)
            temp.write_bytes(msgspec.json.encode(dict(kept)))
            temp.replace(self._path)
            found = self._path.stat()
            self._mark = (found.st_ino, found.st_mtime_ns, found.st_size)
