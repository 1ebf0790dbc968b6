"""Which sessions the views list, and in which order: filter, sort order and dismissals, the same on every view."""

from atm_tui.model.filter import NO_FILTER, Filter
from atm_tui.model.flags import NO_FLAGS, is_dismissed
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Session
from atm_tui.model.sorting import Groups, Order, arrange_groups, rank_sessions


class VisibleSessions:
    """Ranks stay from one key of the user to the next: no row moves because a figure changed."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._ranks: dict[str, int] = {}
        self.filter: Filter = NO_FILTER
        self.order = Order.STARTED
        self.has_held = False
        """Whether the last call of `groups` listed a session only because it was held."""

    def rank(self) -> bool:
        """Ranks the sessions by their present figures; True when that moves any."""
        before = self._ranks
        self._ranks = {} if self.order is Order.STARTED else rank_sessions(self._fleet.sessions.values(), self.order)
        return list(before) != list(self._ranks)

    def groups(self, held: str | None) -> Groups:
        """The listed sessions by project. The session of the id `held` stays though it matches no more: the cursor is on it."""
        session = self._fleet.sessions.get(held) if held else None
        self.has_held = session is not None and not self.filter.matches(session)
        pinned = {key for key, flags in self._fleet.flags.items() if flags.pinned}
        return arrange_groups(
            self._fleet.group_by_project(), self._ranks, pinned, lambda each: self.is_listed(each, held)
        )

    def is_listed(self, session: Session, held: str | None = None) -> bool:
        """Whether a session is neither dismissed nor, unless its id is `held`, kept out by the filter."""
        return not self.is_dismissed(session) and (session.session_id == held or self.filter.matches(session))

    def is_dismissed(self, session: Session) -> bool:
        """Whether the user took it out of the list; the history still has it."""
        return is_dismissed(session, self._fleet.flags.get(session.session_id, NO_FLAGS))

    @property
    def not_dismissed(self) -> tuple[Session, ...]:
        """All sessions that the filter can let through, oldest start first."""
        return tuple(each for each in self._fleet.sessions.values() if not self.is_dismissed(each))
