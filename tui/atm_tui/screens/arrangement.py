"""What the user filtered, sorted and did, until they do it anew: the same on every view of the fleet."""

from typing import NamedTuple

from atm_tui.model.filter import NO_FILTER, Filter
from atm_tui.model.flags import NO_FLAGS, SessionFlags, dismissed
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Session
from atm_tui.model.sorting import Groups, Order, arrange, ranking

KEEP = 50
"""Acts that can be taken back."""


class Act(NamedTuple):
    """A pin, snooze or dismissal."""

    name: str
    session_id: str
    before: SessionFlags
    """What was laid on the session before."""


class Arrangement:
    """Ranks stand from one act of the user to the next: no row moves because a figure did."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._ranks: dict[str, int] = {}
        self._acts: list[Act] = []
        self.filter: Filter = NO_FILTER
        self.order = Order.STARTED
        self.holds = False
        """Whether a session is shown only because it was held."""

    # Sorted

    def rank(self) -> bool:
        """The user acted: ranks anew. True when that moves anything."""
        before = self._ranks
        self._ranks = {} if self.order is Order.STARTED else ranking(self._fleet.sessions.values(), self.order)
        return list(before) != list(self._ranks)

    # Filtered

    def groups(self, held: str | None) -> Groups:
        """What is shown, by project; the session `held` stays though it matches no more: the cursor is on it."""
        session = self._fleet.sessions.get(held) if held else None
        self.holds = session is not None and not self.filter.matches(session)
        pinned = {key for key, flags in self._fleet.flags.items() if flags.pinned}
        return arrange(self._fleet.projects(), self._ranks, pinned, lambda each: self.shows(each, held))

    def shows(self, session: Session, held: str | None = None) -> bool:
        """Whether a session is shown: neither dismissed nor, unless it is `held`, kept out by the filter."""
        return not self.dismissed(session) and (session.session_id == held or self.filter.matches(session))

    def dismissed(self, session: Session) -> bool:
        """Whether the user took it out of the list; the history has it still."""
        return dismissed(session, self._fleet.flags.get(session.session_id, NO_FLAGS))

    @property
    def present(self) -> tuple[Session, ...]:
        """All that the filter lets through or keeps out, oldest start first."""
        return tuple(each for each in self._fleet.sessions.values() if not self.dismissed(each))

    # Done

    def did(self, act: Act) -> None:
        """Remembers what can be taken back."""
        self._acts = [*self._acts[-(KEEP - 1) :], act]

    def take_back(self) -> Act | None:
        """The last act, which is forgotten with this; None when there is none."""
        return self._acts.pop() if self._acts else None
