"""The messages between the app's workers and its screens."""

from collections.abc import Mapping

from textual.message import Message

from atm_tui.model.flags import SessionFlags
from atm_tui.model.request import Decision, Request


class FleetChanged(Message, bubble=False):
    """The fleet has changed. The message is empty, so that many collapse into one; the Fleet keeps the changes."""

    def can_replace(self, message: Message) -> bool:
        """Whether this message can be replaced by `message`: a newer one of the same kind."""
        return isinstance(message, FleetChanged)


class SessionSeen(Message):
    """The user has looked at a session. `leave`: whether the app then closes, as in a popup."""

    def __init__(self, session_id: str, *, leave: bool = False) -> None:
        super().__init__()
        self.session_id = session_id
        self.leave = leave


class ToggleHidden(Message):
    """The user wants to hide the sessions without a screen, or to show them again."""


class Arm(Message):
    """The user wants to start or stop answering requests here."""

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
    """The user changed the flags of sessions: pinned, snoozed or dismissed them, or undid that."""

    def __init__(self, flags: Mapping[str, SessionFlags]) -> None:
        """`flags`: by session id."""
        super().__init__()
        self.flags = flags
