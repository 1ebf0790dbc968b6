"""What happened in all sessions, as it becomes known: journals are followed where there are some, else events are asked for."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from atm_tui.monitor.protocol import Monitor
from atm_tui.timeline.builder import Moment, Teller
from atm_tui.timeline.journals import JournalTail


class News(NamedTuple):
    """What a look brought."""

    moments: list[Moment]
    """Oldest first."""
    again: bool
    """Whether all begins anew: what was told before no longer holds, as after a step back in a recording."""


class Chronicle:
    """Follows the sessions of a monitor. Blocking: each look runs in a thread, never two at the same time."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        folder = getattr(monitor, "state_dir", None)
        self._state_dir: Path | None = folder if isinstance(folder, Path) else None
        self._tails: dict[str, JournalTail] = {}
        self._tellers: dict[str, Teller] = {}
        self._told: dict[str, int] = {}

    def look(self, session_ids: Iterable[str]) -> News:
        """What is new in these sessions."""
        wanted = list(session_ids)
        for key in set(self._tellers).difference(wanted):
            for each in (self._tails, self._tellers, self._told):
                each.pop(key, None)
        if self._state_dir is not None:
            moments = [moment for key in wanted for moment in self._followed(self._state_dir, key)]
            return News(sorted(moments, key=lambda each: each.at), again=False)
        return self._asked(wanted)

    def _followed(self, state_dir: Path, key: str) -> list[Moment]:
        tail = self._tails.setdefault(key, JournalTail(state_dir, key))
        events = tail.news()
        return self._tellers.setdefault(key, Teller(key)).tell(events) if events else []

    def _asked(self, wanted: list[str]) -> News:
        events = {key: self._monitor.history(key) for key in wanted}
        again = any(len(events[key]) < self._told.get(key, 0) for key in wanted)
        if again:
            self._tellers.clear()
            self._told.clear()
        moments: list[Moment] = []
        for key, found in events.items():
            moments += self._tellers.setdefault(key, Teller(key)).tell(found[self._told.get(key, 0) :])
            self._told[key] = len(found)
        return News(sorted(moments, key=lambda each: each.at), again)
