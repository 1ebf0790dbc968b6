"""Chooses and sorts the sessions that the views list, by filter, sort order and dismissals; the same for every view."""

from operator import is_

from atm_tui.model.filter import NO_FILTER, Filter
from atm_tui.model.flags import is_dismissed
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Session
from atm_tui.model.sorting import Group, Groups, Order, arrange_group, rank_sessions, sort_groups


class VisibleSessions:
    """Ranks change only at a key of the user: no row moves because a figure changed."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._ranks: dict[str, int] = {}
        self.filter: Filter = NO_FILTER
        self.order = Order.STARTED
        self.is_reversed = False
        """Whether the sessions are in the reverse of the order."""
        self.marked: frozenset[str] = frozenset()
        """The ids of the sessions that the user marked."""
        self._arranged: dict[str, tuple[tuple[Session, ...], Group]] = {}
        """By root of the project: all its sessions, and the listed ones in order."""
        self._given: tuple[object, ...] = ()
        """Of what they were computed besides."""
        self.has_held = False
        """Whether the last call of `group_sessions` listed a session only because it was held."""

    def rank(self) -> bool:
        """Ranks the sessions by their current figures; returns whether any moves."""
        before = self._ranks
        is_default = self.order is Order.STARTED and not self.is_reversed
        every = self._fleet.sessions.values()
        self._ranks = {} if is_default else rank_sessions(every, self.order, is_reversed=self.is_reversed)
        return list(before) != list(self._ranks)

    def group_sessions(self, held: str | None) -> Groups:
        """Returns the listed sessions by project. The session with the id `held` stays even if it no longer matches."""
        session = self._fleet.sessions.get(held) if held else None
        self.has_held = session is not None and not self.filter.matches(session)
        flags, ranks = self._fleet.flags, self._ranks
        if not (flags or ranks or self.filter):
            self._arranged = {}
            return self._fleet.group_by_project()
        pinned = {key for key, each in flags.items() if each.pinned}
        keep = (lambda each: self.is_listed(each, held)) if flags or self.filter else None
        given = (flags, ranks, self.filter, held)
        is_same = len(self._given) == len(given) and all(map(is_, self._given, given))
        before, self._arranged, self._given = self._arranged if is_same else {}, {}, given
        for group in self._fleet.group_by_project():
            root = group[1][0].root
            known = before.get(root)
            if known is None or known[0] is not group[1]:  # most projects have not changed since the last call
                known = group[1], arrange_group(group, ranks, pinned, keep)
            self._arranged[root] = known
        return sort_groups((group for _, group in self._arranged.values()), ranks, pinned)

    def is_listed(self, session: Session, held: str | None = None) -> bool:
        """Returns whether a session is listed: not dismissed, and let through by the filter or `held`."""
        return not self.is_dismissed(session) and (session.session_id == held or self.filter.matches(session))

    def is_dismissed(self, session: Session) -> bool:
        """Returns whether the user removed it from the list; the history still has it."""
        flags = self._fleet.flags.get(session.session_id)
        return flags is not None and is_dismissed(session, flags)

    def count_dismissed(self) -> int:
        """Counts the sessions that the user removed from the list."""
        sessions = self._fleet.sessions
        return sum(key in sessions and self.is_dismissed(sessions[key]) for key in self._fleet.flags)

    @property
    def not_dismissed(self) -> tuple[Session, ...]:
        """All sessions that are not dismissed, oldest start first."""
        return tuple(each for each in self._fleet.sessions.values() if not self.is_dismissed(each))
