"""The messages that travel between the app's workers and its screens."""

from textual.message import Message

from atm_tui.model.flags import SessionFlags
from atm_tui.model.request import Decision, Request


class FleetChanged(Message, bubble=False):
    """The fleet differs from what is shown. Bare, so that a burst collapses into one; the deltas wait in the Fleet."""

    def can_replace(self, message: Message) -> bool:
        """A newer one stands for all that are still in the queue."""
        return isinstance(message, FleetChanged)


class SessionSeen(Message):
    """The user has looked at a session: it counts as seen from now on. `leave`: the app has nothing to do any more."""

    def __init__(self, session_id: str, *, leave: bool = False) -> None:
        super().__init__()
        self.session_id = session_id
        self.leave = leave


class ToggleHidden(Message):
    """The user wants the sessions without a screen hidden, or shown again."""


class Arm(Message):
    """The user wants answers to be taken here from now on, or no longer."""

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
    """The user pinned, snoozed or dismissed a session, or took that back."""

    def __init__(self, session_id: str, flags: SessionFlags) -> None:
        super().__init__()
        self.session_id = session_id
        self.flags = flags
