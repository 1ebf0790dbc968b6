"""Decides when a selected session counts as seen."""

from atm_tui.messages import SessionSeen
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Session
from atm_tui.screens.command_screen import CommandScreen

LOOKED = 1.0
"""Seconds for which a session has to be selected before it counts as seen."""


class SeeingController:
    """A session that the user selected, and that stays selected, is reported as seen."""

    def __init__(self, screen: CommandScreen, fleet: Fleet) -> None:
        self._screen = screen
        self._fleet = fleet
        self._selected: tuple[str, float] | None = None

    def note_selected(self, session: Session | None, now: float) -> None:
        """Notes what the user selected at `now` (epoch seconds); None: a row that is no session."""
        self._selected = (session.session_id, now) if session else None

    def counts_seconds(self, _: float) -> bool:
        """Returns whether a session may soon count as seen."""
        return self._selected is not None

    def tick(self, now: float) -> None:
        """Called with each tick: reports the session once it has been selected for long enough."""
        if self._selected is None or now - self._selected[1] < LOOKED:
            return
        session_id, self._selected = self._selected[0], None
        session = self._fleet.sessions.get(session_id)
        if session is not None and session.unseen:
            self._screen.post_message(SessionSeen(session_id))
