"""What the user pinned, snoozed and dismissed, by session: the app's own small file, which the hooks never read."""

from pathlib import Path

import msgspec

from atm_tui.model.flags import NO_FLAGS, SessionFlags
from atm_tui.sources.app_file import AppFile

_KEEP = 1000


class FlagsFile:
    """Kept over restarts. A file that can't be read or written costs the memory, nothing else."""

    def __init__(self, state_dir: Path) -> None:
        self._file = AppFile(state_dir, "care.json", dict[str, SessionFlags])
        self.all: dict[str, SessionFlags] = {}
        """By session id; a session that nothing is laid on has no entry."""

    def refresh(self) -> bool:
        """Reads it again when another app wrote it; True when it did."""
        every = self._file.read()
        if every is None:
            return False
        self.all = every
        return True

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Lays this on a session, and keeps it. What another app laid on others meanwhile stays."""
        self.refresh()
        every = {**self.all, session_id: flags}
        if msgspec.structs.replace(flags, at=0.0) == NO_FLAGS:
            del every[session_id]
        self.all = dict(sorted(every.items(), key=lambda item: -item[1].at)[:_KEEP])
        self._file.write(self.all)
