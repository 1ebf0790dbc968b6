"""Which sessions the tree shows and in which order: what the user filtered and sorted, until they do it anew."""

from atm_tui.model.care import NO_CARE, dismissed
from atm_tui.model.filter import Filter
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Session
from atm_tui.model.sorting import Groups, Order, arrange, ranking


class Arrangement:
    """Ranks stand from one act of the user to the next: no row moves because a figure did."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._ranks: dict[str, int] = {}
        self.filter = Filter()
        self.order = Order.STARTED
        self.holds = False
        """Whether a session is shown only because it was held."""

    def rank(self) -> bool:
        """The user acted: ranks anew. True when that moves anything."""
        before = self._ranks
        self._ranks = {} if self.order is Order.STARTED else ranking(self._fleet.sessions.values(), self.order)
        return list(before) != list(self._ranks)

    def groups(self, held: str | None) -> Groups:
        """What is shown, by project; the session `held` stays though it matches no more: the cursor is on it."""
        session = self._fleet.sessions.get(held) if held else None
        self.holds = session is not None and not self.filter.matches(session)
        return arrange(
            self._fleet.projects(),
            self._ranks,
            {key for key, care in self._fleet.care.items() if care.pinned},
            lambda each: self._shows(each) and (each.session_id == held or self.filter.matches(each)),
        )

    def shows(self, session: Session) -> bool:
        """Whether a session is shown, on any view: neither dismissed nor kept out by the filter."""
        return self._shows(session) and self.filter.matches(session)

    def _shows(self, session: Session) -> bool:
        return not dismissed(session, self._fleet.care.get(session.session_id, NO_CARE))
