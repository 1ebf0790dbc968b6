"""Pin, snooze, dismiss and undo: the user's flags on the selected session."""

import time
from typing import NamedTuple

from msgspec.structs import replace

from atm_tui.messages import FlagsChanged
from atm_tui.model.flags import NO_FLAGS, SessionFlags, choose_next_snooze, find_end
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.screens.controllers.actions import RECORDED
from atm_tui.view.visible_sessions import VisibleSessions

KEEP = 50
"""Most changes that can be undone."""


class Change(NamedTuple):
    """A pin, snooze or dismissal."""

    title: str
    session_id: str
    before: SessionFlags
    """The flags of the session before the change."""


class FlagsController:
    """Sets flags; each change can be undone, the last one first, on any view."""

    def __init__(self, screen: CommandScreen, monitor: Monitor, visible: VisibleSessions) -> None:
        self._screen = screen
        self._monitor = monitor
        self._visible = visible
        self._changes: list[Change] = []
        self.handlers: Handlers = {
            "pin": self.pin,
            "snooze": self.snooze,
            "put_away": self.dismiss,
            "undo": self.undo,
        }

    def take_over(self, other: "FlagsController") -> None:
        """Lets the changes of another controller be undone here."""
        self._changes = other._changes  # noqa: SLF001  of the same class

    def _find_flags(self, session_id: str) -> SessionFlags:
        return self._monitor.fleet.flags.get(session_id, NO_FLAGS)

    def _change(self, title: str, session: Session, flags: SessionFlags, result: str) -> None:
        if not self._monitor.capabilities.flags:
            self._screen.show_message(f"{title}: {RECORDED}", trouble=True)
            return
        change = Change(title, session.session_id, self._find_flags(session.session_id))
        self._changes = [*self._changes[-(KEEP - 1) :], change]
        self._screen.post_message(FlagsChanged(session.session_id, replace(flags, at=self._monitor.now())))
        self._screen.show_message(f"{session.name}: {result}")

    def pin(self) -> None:
        """Pins the session above the others, or unpins it."""
        if session := self._screen.selection.session:
            flags = self._find_flags(session.session_id)
            result = "unpinned" if flags.pinned else "pinned"
            self._change("pin", session, replace(flags, pinned=not flags.pinned), result)

    def snooze(self) -> None:
        """Snoozes the session for longer with each press; the last press ends the snooze."""
        if session := self._screen.selection.session:
            flags = self._find_flags(session.session_id)
            snooze = choose_next_snooze(session, flags, self._monitor.now())
            result = "not snoozed" if snooze is None else f"snoozed {format_until(snooze.until)}"
            self._change("snooze", session, replace(flags, snooze=snooze), result)

    def dismiss(self) -> None:
        """Removes an ended session from the list, or restores a dismissed one."""
        if session := self._screen.selection.session:
            dismissed = self._visible.is_dismissed(session)
            flags = replace(self._find_flags(session.session_id), dismissed=None if dismissed else find_end(session))
            result = "is in the list again" if dismissed else "dismissed; U brings it back"
            self._change("dismiss", session, flags, result)

    def undo(self) -> None:
        """Undoes the last change."""
        if not self._changes:
            self._screen.show_message("undo: nothing was pinned, snoozed or dismissed since the start", trouble=True)
            return
        change = self._changes.pop()
        self._screen.post_message(FlagsChanged(change.session_id, change.before))
        session = self._monitor.fleet.sessions.get(change.session_id)
        self._screen.show_message(f"{session.name if session else change.session_id}: undone: {change.title}")


def format_until(until: float | None) -> str:
    """Formats the end of a snooze: "until it changes", or the time of day of `until` (epoch seconds)."""
    return "until it changes" if until is None else f"until {time.strftime('%H:%M', time.localtime(until))}"
