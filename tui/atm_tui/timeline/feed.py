"""Follows what happens in several sessions: by their journals, or by asking for their events."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from atm_tui.timeline.builder import TimelineBuilder, TimelineEvent
from atm_tui.timeline.event import Event
from atm_tui.timeline.journals import JournalReader


class TimelineUpdate(NamedTuple):
    """What is new since the last `read`."""

    events: list[TimelineEvent]
    """New timeline entries, oldest first."""
    again: bool
    """Whether they replace all entries before, as after a step back in a recording."""


class TimelineFeed:
    """Follows several sessions. `read` blocks: call it in a thread, and never twice at the same time."""

    def __init__(
        self,
        state_dir: Path | None,
        history: Callable[[str], Sequence[Event]],
        elsewhere: Callable[[str], Sequence[Event] | None] = lambda _: None,
    ) -> None:
        """`state_dir`: where the journals are; None: `history` returns all events of a session at each call.

        `elsewhere`: returns all events that are known of a session of another machine; None of one of this machine.
        """
        self._state_dir = state_dir
        self._history = history
        self._elsewhere = elsewhere
        self._readers: dict[str, JournalReader] = {}
        self._builders: dict[str, TimelineBuilder] = {}
        self._passed: dict[str, int] = {}
        """By session: how many of its events have been used."""

    def may_have_news(self, session_id: str) -> bool:
        """Returns whether `read` may find something new in a session. Does not block, and may be called meanwhile."""
        reader = self._readers.get(session_id)
        return reader is None or reader.may_have_news

    def read(self, session_ids: Iterable[str]) -> TimelineUpdate:
        """Returns what is new in these sessions; forgets all others."""
        wanted = list(session_ids)
        for key in set(self._builders).difference(wanted):
            for each in (self._readers, self._builders, self._passed):
                each.pop(key, None)
        if self._state_dir is None:
            given: dict[str, Sequence[Event]] = {key: self._history(key) for key in wanted}
        else:
            given = {key: events for key in wanted if (events := self._elsewhere(key)) is not None}
        again = any(len(events) < self._passed.get(key, 0) for key, events in given.items())
        if again:
            for each in (self._readers, self._builders, self._passed):
                each.clear()
        new: list[TimelineEvent] = []
        for key in wanted:
            if key in given:
                new += self._build(key, given[key][self._passed.get(key, 0) :])
                self._passed[key] = len(given[key])
            elif self._state_dir is not None:
                new += self._read_journal(self._state_dir, key)
        return TimelineUpdate(sorted(new, key=lambda each: each.at), again)

    def _read_journal(self, state_dir: Path, key: str) -> list[TimelineEvent]:
        events = self._readers.setdefault(key, JournalReader(state_dir, key)).read_events()
        return self._build(key, events) if events else []

    def _build(self, key: str, events: Iterable[Event]) -> list[TimelineEvent]:
        return self._builders.setdefault(key, TimelineBuilder(key)).build(events)
