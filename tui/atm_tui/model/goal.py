"""Decides whether sessions have reached the goal of a wait: needs you, idle or ended. Pure."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

import msgspec

from atm_tui.model.session import Liveness, Session, State


class Goal(StrEnum):
    """The goal of a wait."""

    NEEDS_YOU = "needs_you"
    IDLE = "idle"
    """It neither works nor needs you. One that has ended counts: some end as soon as their turn does."""
    ENDED = "ended"
    """No process serves it."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of a wait."""

    reached: tuple[str, ...] = ()
    """Ids of the sessions that are at the goal."""
    too_late: tuple[str, ...] = ()
    """Ids of sessions that have ended, so that the goal can't be reached any more; empty while it can."""
    is_done: bool = False
    """Whether enough sessions are at the goal."""


class Waiter:
    """Waits for sessions."""

    def __init__(self, goal: Goal, named: Sequence[str] = (), *, needs_all: bool = False) -> None:
        """`named`: their ids; if empty, all sessions that were running at some time since the wait began.

        `needs_all`: whether all must be at the goal at the same time; else one is enough.
        """
        self._goal = goal
        self._named = named
        self._needs_all = needs_all
        self._ids = dict.fromkeys(named)

    def update(self, sessions: Iterable[Session], passed: Collection[str] = ()) -> Progress:
        """Returns the progress of the wait, with these sessions in the fleet. One that is no longer listed has ended.

        `passed`: ids of those that reached the goal since the wait began, whatever their state is now. They count if one session
        is enough.
        """
        live = {each.session_id: each for each in sessions if each.liveness is Liveness.LIVE}
        if not self._named:
            self._ids |= dict.fromkeys(live)
        over = tuple(key for key in self._ids if key not in live)
        were = {key for key in passed if not self._needs_all}
        if self._goal is not Goal.NEEDS_YOU:
            wanted = State.IDLE if self._goal is Goal.IDLE else None
            reached = tuple(key for key in self._ids if key not in live or live[key].state is wanted or key in were)
            needed = len(self._ids) if self._needs_all else 1
            return Progress(reached=reached, is_done=len(reached) >= needed)
        waiting = tuple(key for key in self._ids if key in were or (key in live and live[key].state is State.NEEDS_YOU))
        left = len(self._ids) - len(over)
        return Progress(
            reached=waiting,
            too_late=over if self._named and not were and (self._needs_all or not left) else (),
            is_done=bool(waiting) and (not self._needs_all or len(waiting) == left),
        )
