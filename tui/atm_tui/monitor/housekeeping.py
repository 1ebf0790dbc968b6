"""Creates the state folder before the first hook runs, and removes files that are no longer needed."""

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from atm_hooks import journal
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.schedule import Interval
from atm_tui.sources.app_file import AppFile
from atm_tui.sources.exists import exists
from atm_tui.sources.state_schema import describe_newer, is_newer, write_schema

if TYPE_CHECKING:
    from atm_tui.sources.closed_states import Closed

INTERVAL = 600.0
"""Seconds between two clean-ups."""
LEFTOVERS = 3600.0
"""Seconds between two looks for leftovers, for which whole folders are listed; also of different commands."""
MOST_REMOVED = 1_000
"""Number of sessions whose files one call removes, so that it takes no longer than a moment; the next one goes on."""
_UNFINISHED: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("tmp", bool),
    ("app", lambda name: name.endswith(".tmp")),
    ("", lambda name: name.startswith("schema.") and name[7:].isdecimal()),
)
"""Folders in the state folder, and which names there are those of files that are renamed once they are written."""
_OF_SESSIONS = (("journal", (".jsonl", ".jsonl.1")), ("locks", (".lock",)), ("panes", ("",)))
"""Folders with files of sessions, and what follows the session's id in their names."""


class Housekeeper:
    """Removes the files of sessions that ended long ago, and what killed hooks left behind."""

    def __init__(self, state_dir: Path, keep: float) -> None:
        """`keep`: seconds for which the files of a session stay after its last event."""
        self._state_dir = state_dir
        self.keep = keep
        """As `keep` above."""
        self._interval = Interval(INTERVAL)
        self._looked = AppFile(state_dir, "leftovers.json", float)
        self._looked_at = float("-inf")
        """When leftovers were looked for last, epoch seconds."""
        self.problem: str | None = None
        """Why the state folder can't be used, with the next step; None when it can."""

    def prepare(self) -> None:
        """Creates the state folder, so that it can be watched and the first session appears at once."""
        if is_newer(self._state_dir):
            self.problem = f"{describe_newer(self._state_dir)}. Update atm-tui."
            return
        try:
            journal.prepare_folders(str(self._state_dir))
            (self._state_dir / "sessions").mkdir(mode=0o700, exist_ok=True)
            with contextlib.suppress(OSError):
                write_schema(self._state_dir)
        except (OSError, journal.UnsafeError) as error:
            self.problem = (
                f"{self._state_dir} can't be used: {error}. Hooks can't write there either; see atm-tui doctor."
            )

    def clean_up(
        self, sessions: Iterable[Session], now: float, closed: "Mapping[str, Closed]" = MappingProxyType({})
    ) -> None:
        """Removes files that are too old at `now` (epoch seconds), at most once in ten minutes unless there are many.

        `closed`: other sessions that are over, by id.
        """
        if not self._interval.is_due(now) or self.keep == math.inf:
            return
        if is_newer(self._state_dir):
            return
        self._interval.restart(now)
        removed = 0
        old = chain(
            (each.session_id for each in sessions if self._is_old(each, now)),
            (key for key, each in closed.items() if now - each.heard_at > self.keep),
        )
        for session_id in old:
            if removed == MOST_REMOVED:
                self._interval.expire()
                return
            with contextlib.suppress(OSError):  # it is tried again next time
                journal.remove_session(str(self._state_dir), session_id)
                removed += 1
        self._remove_leftovers(now)

    def _is_old(self, session: Session, now: float) -> bool:
        last = max(session.updated_at, session.since)
        return session.is_reported and session.liveness is not Liveness.LIVE and now - last > self.keep

    def _remove_leftovers(self, now: float) -> None:
        """Removes what killed hooks and apps left: unfinished files, and those of sessions without a state file.

        It was done a moment ago where another command did it.
        """
        self._looked_at = self._looked.read() or self._looked_at
        if 0 <= now - self._looked_at < LEFTOVERS:
            return
        for folder, is_unfinished in _UNFINISHED:
            for name in filter(is_unfinished, self._list_old(folder, now)):
                with contextlib.suppress(OSError):
                    (self._state_dir / folder / name).unlink()
        for folder, endings in _OF_SESSIONS:
            for name in self._list_old(folder, now):
                session_id = name.removesuffix(next((end for end in endings if name.endswith(end)), ""))
                if "." not in session_id and not exists(journal.locate_state(str(self._state_dir), session_id)):
                    with contextlib.suppress(OSError):
                        journal.remove_session(str(self._state_dir), session_id)
        self._looked_at = now
        if exists(f"{self._state_dir}/journal"):  # else there is nothing to look at, nor a folder to write into
            self._looked.write(now)

    def _list_old(self, folder: str, now: float) -> list[str]:
        """Returns the names of the files in a folder that were not written for so long that they can go."""
        found = []
        with contextlib.suppress(OSError), os.scandir(self._state_dir / folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if now - entry.stat().st_mtime > self.keep:
                        found.append(entry.name)
        return found
