"""Describes the attempts of agents to answer for the user, from the log of answers.

The code that reads the log is loaded only if there is one.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from atm_hooks.private import FOLDER
from atm_tui.model.session import Session

SHOWN_FOR = 3600.0
"""Seconds for which a notice about an attempt is shown."""
_MAX_TIME = 1e11
"""Epoch seconds up to which a time can be written as a date."""


class RefusedAttempts:
    """The attempts that this process and others refused."""

    def __init__(self, state_dir: Path, now: Callable[[], float]) -> None:
        self._root = str(state_dir)
        self._now = now
        self._log = state_dir / FOLDER / "log.jsonl"
        self._stamp: tuple[int, ...] = ()
        """Inode, modification time and size of the log when it was last read."""
        self._attempts: list[tuple[float, str]] = []
        """Time and session of each attempt in the log, oldest first."""

    def describe(self, sessions: Mapping[str, Session]) -> str | None:
        """Describes the attempts of the last hour in one line; None when there were none. `sessions`: by id."""
        self._read_log()
        now = self._now()
        recent = [each for each in self._attempts if 0 <= now - each[0] < SHOWN_FOR]
        if not recent:
            return None
        at, session_id = recent[-1]
        name = sessions[session_id].name if session_id in sessions else session_id[:8]
        who = f"an agent of {name}" if name else "an agent, or a command without a terminal,"
        from datetime import datetime  # noqa: PLC0415

        when = datetime.fromtimestamp(at).astimezone().strftime("%H:%M")
        times = f"{len(recent)} times, last at {when}" if len(recent) > 1 else f"at {when}"
        return f"Refused: {who} tried to answer for you {times}. `atm-tui answers` lists it."

    def _read_log(self) -> None:
        """Reads the log when it has changed. Skips one that has not grown for so long that it has nothing to show."""
        try:
            found = self._log.stat()
        except OSError:
            self._stamp, self._attempts = (), []
            return
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        from atm_tui.sources.answers import read_log  # noqa: PLC0415

        lines = read_log(self._root) if time.time() - found.st_mtime < SHOWN_FOR else []
        self._attempts = [attempt for line in lines if (attempt := _read_attempt(line))]


def _read_attempt(line: Mapping[str, Any]) -> tuple[float, str] | None:
    """Returns time and session of an attempt; None for other lines."""
    from atm_hooks.answer_log import REFUSED  # noqa: PLC0415

    at, session_id = line.get("at"), line.get("session_id")
    if line.get("outcome") != REFUSED or not isinstance(session_id, str) or not isinstance(at, (int, float)):
        return None
    return (float(at), session_id) if abs(at) < _MAX_TIME else None
