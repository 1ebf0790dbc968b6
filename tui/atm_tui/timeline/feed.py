"""Follows what happens in several sessions: by their journals, or by asking for their events."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from atm_tui.timeline.builder import TimelineBuilder, TimelineEvent
from atm_tui.timeline.event import Event
from atm_tui.timeline.journals import JournalReader


class News(NamedTuple):
    """What is new since the last `read`."""

    moments: list[TimelineEvent]
    """New timeline entries, oldest first."""
    again: bool
    """Whether they replace all entries before, as after a step back in a recording."""


class TimelineFeed:
    """Follows several sessions. `read` blocks: call it in a thread, and never twice at the same time."""

    def __init__(self, state_dir: Path | None, history: Callable[[str], Sequence[Event]]) -> None:
        """`state_dir`: where the journals are; None: `history` returns all events of a session at each call."""
        self._state_dir = state_dir
        self._history = history
        self._readers: dict[str, JournalReader] = {}
        self._builders: dict[str, TimelineBuilder] = {}
        self._passed: dict[str, int] = {}
        """By session: how many of its events have been used."""

    def read(self, session_ids: Iterable[str]) -> News:
        """Returns what is new in these sessions; forgets all others."""
        wanted = list(session_ids)
        for key in set(self._builders).difference(wanted):
            for each in (self._readers, self._builders, self._passed):
                each.pop(key, None)
        if self._state_dir is not None:
            moments = [moment for key in wanted for moment in self._read_journal(self._state_dir, key)]
            return News(sorted(moments, key=lambda each: each.at), again=False)
        return self._read_histories(wanted)

    def _read_journal(self, state_dir: Path, key: str) -> list[TimelineEvent]:
        events = self._readers.setdefault(key, JournalReader(state_dir, key)).read_events()
        return self._build(key, events) if events else []

    def _read_histories(self, wanted: list[str]) -> News:
        events = {key: self._history(key) for key in wanted}
        again = any(len(events[key]) < self._passed.get(key, 0) for key in wanted)
        if again:
            self._builders.clear()
            self._passed.clear()
        moments: list[TimelineEvent] = []
        for key, found in events.items():
            moments += self._build(key, found[self._passed.get(key, 0) :])
            self._passed[key] = len(found)
        return News(sorted(moments, key=lambda each: each.at), again)

    def _build(self, key: str, events: Iterable[Event]) -> list[TimelineEvent]:
        return self._builders.setdefault(key, TimelineBuilder(key)).build(events)
