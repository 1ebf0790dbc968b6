"""The messages that travel between the app's workers and its screens."""

from textual.message import Message

from atm_tui.model.flags import SessionFlags
from atm_tui.model.request import Decision, Request


class FleetChanged(Message, bubble=False):
    """The fleet differs from what is shown. It carries nothing, so that a burst collapses into one; the Fleet keeps the deltas."""

    def can_replace(self, message: Message) -> bool:
        """A newer one replaces all that are still in the queue."""
        return isinstance(message, FleetChanged)


class SessionSeen(Message):
    """The user has looked at a session: it counts as seen from now on. `leave`: the app closes, as in a popup."""

    def __init__(self, session_id: str, *, leave: bool = False) -> None:
        super().__init__()
        self.session_id = session_id
        self.leave = leave


class ToggleHidden(Message):
    """The user asks to hide the sessions without a screen, or to show them again."""


class Arm(Message):
    """The user asks to take answers here from now on, or no longer."""

    def __init__(self, on: bool) -> None:
        super().__init__()
        self.on = on


class Answer(Message):
    """The user's answer to one request."""

    def __init__(self, request: Request, decision: Decision) -> None:
        super().__init__()
        self.request = request
        self.decision = decision


class FlagsChanged(Message):
    """The user pinned, snoozed or dismissed a session, or undid that."""

    def __init__(self, session_id: str, flags: SessionFlags) -> None:
        super().__init__()
        self.session_id = session_id
        self.flags = flags
