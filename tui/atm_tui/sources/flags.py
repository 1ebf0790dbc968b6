"""Stores the user's flags on sessions (pinned, snoozed, dismissed) in a small file of the app."""

from pathlib import Path

import msgspec

from atm_tui.model.flags import NO_FLAGS, SessionFlags
from atm_tui.sources.app_file import AppFile

_LIMIT = 1000
"""Number of sessions whose flags are stored: those set last."""


class FlagsFile:
    """Flags by session, stored and shared with other apps. When the file can't be written, they are lost at exit."""

    def __init__(self, state_dir: Path) -> None:
        self._file = AppFile(state_dir, "care.json", dict[str, SessionFlags])
        self.path = self._file.path
        self.all: dict[str, SessionFlags] = {}
        """By session id; a session without flags has no entry."""

    def refresh(self) -> bool:
        """Reads the file again when another app changed it; returns whether it did."""
        flags = self._file.read()
        if flags is None:
            return False
        self.all = flags
        return True

    def set_flags(self, session_id: str, flags: SessionFlags) -> None:
        """Sets the flags of one session and writes the file. Keeps what another app has set on others meanwhile."""
        self.refresh()
        flags_by_id = {**self.all, session_id: flags}
        if msgspec.structs.replace(flags, at=0.0) == NO_FLAGS:
            del flags_by_id[session_id]
        self.all = dict(sorted(flags_by_id.items(), key=lambda item: -item[1].at)[:_LIMIT])
        self._file.write(self.all)
