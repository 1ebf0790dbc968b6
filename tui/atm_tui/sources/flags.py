"""What the user pinned, snoozed and dismissed, by session: the app's own small file, which the hooks never read."""

from pathlib import Path

import msgspec

from atm_tui.model.flags import NO_CARE, Care
from atm_tui.sources.app_file import AppFile

_KEEP = 1000


class CareFile:
    """Kept over restarts. A file that can't be read or written costs the memory, nothing else."""

    def __init__(self, state_dir: Path) -> None:
        self._file = AppFile(state_dir, "care.json", dict[str, Care])
        self.all: dict[str, Care] = {}
        """By session id; a session that nothing is laid on has no entry."""

    def refresh(self) -> bool:
        """Reads it again when another app wrote it; True when it did."""
        every = self._file.read()
        if every is None:
            return False
        self.all = every
        return True

    def lay(self, session_id: str, care: Care) -> None:
        """Lays this on a session, and keeps it. What another app laid on others meanwhile stays."""
        self.refresh()
        every = {**self.all, session_id: care}
        if msgspec.structs.replace(care, at=0.0) == NO_CARE:
            del every[session_id]
        self.all = dict(sorted(every.items(), key=lambda item: -item[1].at)[:_KEEP])
        self._file.write(self.all)
