"""Finds in journals which sessions needed you, or ended, since a wait began, even if only between two refreshes."""

from collections.abc import Iterable
from pathlib import Path

from atm_tui.model.goal import Goal
from atm_tui.model.session import Session
from atm_tui.timeline.event import Event
from atm_tui.timeline.journals import JournalReader
from atm_tui.timeline.wait_record import AnsweredBy
from atm_tui.timeline.wait_tracker import WaitTracker


class PassingGoals:
    """Follows the journals of the given sessions. Becoming idle is not followed, since a queued prompt ends it at once."""

    def __init__(self, state_dir: Path, goal: Goal, began: float) -> None:
        """`began`: epoch seconds; earlier events do not count."""
        self._state_dir = state_dir
        self._goal = goal
        self._began = began
        self._readers: dict[str, JournalReader] = {}
        self._trackers: dict[str, WaitTracker] = {}
        self._updated: dict[str, float] = {}
        self._found: dict[str, None] = {}

    def update(self, sessions: Iterable[Session]) -> tuple[str, ...]:
        """Reads the journals with new events; returns the ids of all sessions that reached the goal so far."""
        if self._goal is Goal.IDLE:
            return ()
        for session in sessions:
            key, updated = session.session_id, session.updated_at
            if updated >= self._began and updated != self._updated.get(key):
                self._updated[key] = updated
                reader = self._readers.setdefault(key, JournalReader(self._state_dir, key))
                for event in reader.read_events():
                    if event.at >= self._began and self._is_at_goal(key, event):
                        self._found[key] = None
        return tuple(self._found)

    def _is_at_goal(self, key: str, event: Event) -> bool:
        if self._goal is Goal.ENDED:
            return event.event == "SessionEnd"
        _, ended = self._trackers.setdefault(key, WaitTracker()).apply(event)
        answered = any(record.by is not AnsweredBy.RULE for record in ended)
        return answered or (event.event == "StopFailure" and not event.agent_id)
