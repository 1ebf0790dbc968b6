"""What happened in all sessions, as it becomes known: journals are followed where there are some, else events are asked for."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from atm_tui.monitor.protocol import Monitor
from atm_tui.timeline.builder import TimelineBuilder, TimelineEvent
from atm_tui.timeline.journals import JournalReader


class News(NamedTuple):
    """What a look brought."""

    moments: list[TimelineEvent]
    """Oldest first."""
    again: bool
    """Whether all begins anew: what was told before no longer holds, as after a step back in a recording."""


class TimelineFeed:
    """Follows the sessions of a monitor. Blocking: each look runs in a thread, never two at the same time."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._state_dir = monitor.capabilities.state_dir
        self._tails: dict[str, JournalReader] = {}
        self._tellers: dict[str, TimelineBuilder] = {}
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

    def _followed(self, state_dir: Path, key: str) -> list[TimelineEvent]:
        tail = self._tails.setdefault(key, JournalReader(state_dir, key))
        events = tail.news()
        return self._tellers.setdefault(key, TimelineBuilder(key)).tell(events) if events else []

    def _asked(self, wanted: list[str]) -> News:
        events = {key: self._monitor.history(key) for key in wanted}
        again = any(len(events[key]) < self._told.get(key, 0) for key in wanted)
        if again:
            self._tellers.clear()
            self._told.clear()
        moments: list[TimelineEvent] = []
        for key, found in events.items():
            moments += self._tellers.setdefault(key, TimelineBuilder(key)).tell(found[self._told.get(key, 0) :])
            self._told[key] = len(found)
        return News(sorted(moments, key=lambda each: each.at), again)
