"""What single sessions contain, from their files or from the machine on which they run: read when it is asked for."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atm_tui.model.fleet import Fleet
from atm_tui.model.host import is_elsewhere
from atm_tui.model.session import Session

if TYPE_CHECKING:
    from atm_tui.monitor.elsewhere import ElsewhereReader
    from atm_tui.sources.conversation import Conversation
    from atm_tui.timeline.event import Event


class LiveContents:
    """The Contents of live sessions."""

    def __init__(self, state_dir: Path, fleet: Fleet, find_elsewhere: "Callable[[], ElsewhereReader | None]") -> None:
        """`find_elsewhere`: returns what reads sessions of other machines; None without any."""
        self._state_dir = state_dir
        self._fleet = fleet
        self._find_elsewhere = find_elsewhere

    def read_events(self, session_id: str) -> "Sequence[Event]":
        """As in Contents; empty when the journal can't be read."""
        if (there := self._find_elsewhere()) is not None and is_elsewhere(session_id):
            return there.read_events(session_id)
        try:
            from atm_tui.timeline.journals import read_history  # noqa: PLC0415

            return read_history(self._state_dir, session_id)
        except OSError:
            return []

    def follow_elsewhere(self, session_id: str) -> "Sequence[Event] | None":
        """As in Contents."""
        there = self._find_elsewhere() if is_elsewhere(session_id) else None
        return there.follow_events(session_id) if there is not None else None

    def find_inputs(self, session: Session) -> dict[str, dict[str, Any]]:
        """As in Contents."""
        if session.elsewhere is not None and (there := self._find_elsewhere()) is not None:
            return there.find_inputs(session)
        from atm_tui.sources.tool_input import find_inputs  # noqa: PLC0415  rarely needed

        return find_inputs(session, self._fleet.list_requests(session.session_id))

    def open_conversation(self, session: Session) -> "Conversation":
        """As in Contents."""
        from atm_tui.sources.conversation import Conversation  # noqa: PLC0415  rarely needed

        if session.elsewhere is not None and (there := self._find_elsewhere()) is not None:
            return there.open_conversation(session.elsewhere)
        return Conversation(session.transcript_path or "")
