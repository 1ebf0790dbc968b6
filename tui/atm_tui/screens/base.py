"""What the screens that show the fleet share: they hear of its changes."""

from textual.screen import Screen

from atm_tui.model.fleet import Delta
from atm_tui.model.request import Answered, Decision, Request


class FleetScreen(Screen[None]):
    """A screen that shows the fleet, or stands before one that does."""

    def fleet_changed(self, delta: Delta) -> None:
        """The fleet differs by `delta` from the last call. The app calls it on every screen of the stack."""

    def answered(self, request: Request, decision: Decision, outcome: Answered) -> None:
        """What became of an answer that was given on one of the screens. The app calls it on every screen of the stack."""
