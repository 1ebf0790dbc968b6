"""Stores times by key in a small file of the app: when each session was last seen, and when each alert was given."""

from collections.abc import Iterable
from pathlib import Path

from atm_tui.sources.app_file import AppFile

_LIMIT = 1000
"""Largest number of keys, in memory and in the file: those with the latest times."""
AHEAD = 2.0
"""Seconds that a stored time may be ahead of a new one; more means that the clock was set back."""


class TimesFile:
    """Epoch seconds by key, stored and shared with other apps. When the file can't be written, they are lost at exit."""

    def __init__(self, state_dir: Path, name: str = "seen.json") -> None:
        self._file = AppFile(state_dir, name, dict[str, float])
        self._times: dict[str, float] = {}
        self.path = self._file.path

    def refresh(self) -> bool:
        """Reads the file again when another app changed it; returns whether it did."""
        times = self._file.read()
        if times is None:
            return False
        self._times = {key: max(at, self._times.get(key, 0.0)) for key, at in times.items()}
        return True

    def find(self, key: str) -> float:
        """Returns the time of a key; 0 when it has none."""
        return self._times.get(key, 0.0)

    def record(self, key: str, at: float) -> None:
        """Sets the time of a key and writes the file. Keeps what another app has written meanwhile."""
        with self._file.hold_lock():
            self.refresh()
            self._write({key: at})

    def claim(self, keys: Iterable[str], at: float) -> tuple[str, ...]:
        """Sets the time of the keys that have none, and returns these keys: only one of several processes gets each key."""
        self.refresh()
        wanted = [key for key in dict.fromkeys(keys) if not self.find(key)]
        if not wanted:
            return ()
        with self._file.hold_lock():
            self.refresh()
            new = tuple(key for key in wanted if not self.find(key))
            if new:
                self._write(dict.fromkeys(new, at))
        return new

    def _write(self, times: dict[str, float]) -> None:
        for key, at in times.items():
            known = self._times.get(key, 0.0)
            self._times[key] = known if at < known <= at + AHEAD else at
        self._times = dict(sorted(self._times.items(), key=lambda item: -item[1])[:_LIMIT])
        self._file.write(self._times)
