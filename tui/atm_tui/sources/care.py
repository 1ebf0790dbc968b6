"""What the user pinned, snoozed and dismissed, by session: the app's own small file, which the hooks never read."""

import contextlib
import os
from pathlib import Path

import msgspec

from atm_tui.model.care import NO_CARE, Care

_KEEP = 1000


class CareFile:
    """Kept over restarts. A file that can't be read or written costs the memory, nothing else."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / "app" / "care.json"
        self._mark: tuple[int, int, int] | None = None
        self.all: dict[str, Care] = {}
        """By session id; a session that nothing is laid on has no entry."""

    def refresh(self) -> bool:
        """Reads it again when another app wrote it; True when it did."""
        try:
            found = self._path.stat()
            mark = (found.st_ino, found.st_mtime_ns, found.st_size)
            if mark == self._mark:
                return False
            self.all = msgspec.json.decode(self._path.read_bytes(), type=dict[str, Care])
        except (OSError, msgspec.MsgspecError):
            return False
        self._mark = mark
        return True

    def lay(self, session_id: str, care: Care) -> None:
        """Lays this on a session, and keeps it. What another app laid on others meanwhile stays."""
        self.refresh()
        every = {**self.all, session_id: care}
        if msgspec.structs.replace(care, at=0.0) == NO_CARE:
            del every[session_id]
        self.all = dict(sorted(every.items(), key=lambda item: -item[1].at)[:_KEEP])
        temp = self._path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temp.touch(mode=0o600)
            temp.write_bytes(msgspec.json.encode(self.all))
            temp.replace(self._path)
            found = self._path.stat()
            self._mark = (found.st_ino, found.st_mtime_ns, found.st_size)
