"""What the user has looked at, by session: the app's own small file, which the hooks never read."""

from pathlib import Path

from atm_tui.sources.app_file import AppFile

_KEEP = 1000
AHEAD = 2.0
"""Seconds by which a look may lie ahead of the clock before it counts as one from before the clock was set back."""


class SeenFile:
    """Times of the last look, kept over restarts. A file that can't be read or written costs the memory, nothing else."""

    def __init__(self, state_dir: Path, name: str = "seen.json") -> None:
        self._file = AppFile(state_dir, name, dict[str, float])
        self._times: dict[str, float] = {}

    def refresh(self) -> bool:
        """Reads it again when another app wrote it; True when it did."""
        times = self._file.read()
        if times is None:
            return False
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
        self._file.write(dict(kept))
