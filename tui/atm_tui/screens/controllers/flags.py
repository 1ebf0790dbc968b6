"""Pin, snooze, dismiss and undo: the user's flags on the selected session."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from atm_tui.messages import FlagsChanged
from atm_tui.model.flags import NO_FLAGS, SessionFlags, choose_next_snooze, find_end, start_snooze
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.screens.controllers.actions import RECORDED
from atm_tui.text import format_count
from atm_tui.view.visible_sessions import VisibleSessions

KEEP = 50
"""Most changes that can be undone."""


class Change(NamedTuple):
    """A pin, snooze or dismissal of one or several sessions."""

    title: str
    before: Mapping[str, SessionFlags]
    """By id: the flags of the sessions before the change."""


class FlagsController:
    """Sets flags; each change can be undone, the last one first, on any view."""

    def __init__(self, screen: CommandScreen, monitor: Monitor, visible: VisibleSessions) -> None:
        self._screen = screen
        self._monitor = monitor
        self._visible = visible
        self._changes: list[Change] = []
        self.handlers: Handlers = {
            "pin": lambda: self.pin(self._selected),
            "snooze": lambda: self.snooze(self._selected),
            "put_away": lambda: self.dismiss(self._selected),
            "undo": self.undo,
        }
        self.for_many: Mapping[str, Callable[[Sequence[Session], str], None]] = {
            "pin": self.pin,
            "snooze": self.snooze,
            "put_away": self.dismiss,
        }
        """What sets the flags of several sessions; the text is added to the message."""

    def take_over(self, other: "FlagsController") -> None:
        """Lets the changes of another controller be undone here."""
        self._changes = other._changes  # noqa: SLF001  of the same class

    @property
    def _selected(self) -> Sequence[Session]:
        session = self._screen.selection.session
        return [session] if session is not None else []

    def _find_flags(self, session: Session) -> SessionFlags:
        return self._monitor.fleet.flags.get(session.session_id, NO_FLAGS)

    def _change(self, title: str, flags: Sequence[tuple[Session, SessionFlags]], result: str) -> None:
        if not self._monitor.capabilities.flags:
            self._screen.show_message(f"{title}: {RECORDED}", trouble=True)
            return
        change = Change(title, {session.session_id: self._find_flags(session) for session, _ in flags})
        self._changes = [*self._changes[-(KEEP - 1) :], change]
        now = self._monitor.now()
        self._screen.post_message(FlagsChanged({each.session_id: replace(to, at=now) for each, to in flags}))
        self._screen.show_message(f"{_name(flags)}: {result}")

    def pin(self, sessions: Sequence[Session], more: str = "") -> None:
        """Pins sessions above the others or, if all of them are, unpins them."""
        pins = not all(self._find_flags(each).pinned for each in sessions)
        changes = [(each, replace(self._find_flags(each), pinned=pins)) for each in sessions]
        if changes:
            self._change("pin", changes, f"{'pinned' if pins else 'unpinned'}{more}")

    def snooze(self, sessions: Sequence[Session], more: str = "") -> None:
        """Snoozes sessions for longer with each press; the last press ends the snooze. Several go by the first one."""
        if not sessions:
            return
        now = self._monitor.now()
        first = choose_next_snooze(sessions[0], self._find_flags(sessions[0]), now)
        result = "not snoozed" if first is None else f"snoozed {format_until(first.until)}"
        changes = [
            (each, replace(self._find_flags(each), snooze=first and start_snooze(each, first.seconds, now)))
            for each in sessions
        ]
        self._change("snooze", changes, result + more)

    def dismiss(self, sessions: Sequence[Session], more: str = "") -> None:
        """Removes ended sessions from the list or, if all of them are dismissed, restores them."""
        if not sessions:
            return
        restores = all(self._visible.is_dismissed(each) for each in sessions)
        changes = [
            (each, replace(self._find_flags(each), dismissed=None if restores else find_end(each))) for each in sessions
        ]
        verb = "is" if len(sessions) == 1 else "are"
        dismissed = self._screen.keys.spell("dismissed; <undo> brings it back")
        self._change("dismiss", changes, (f"{verb} in the list again" if restores else dismissed) + more)

    def undo(self) -> None:
        """Undoes the last change, of one or several sessions."""
        if not self._changes:
            self._screen.show_message("undo: nothing was pinned, snoozed or dismissed since the start", trouble=True)
            return
        change = self._changes.pop()
        self._screen.post_message(FlagsChanged(change.before))
        sessions = self._monitor.fleet.sessions
        only = next(iter(change.before))
        one = sessions[only].name if only in sessions else only
        name = one if len(change.before) == 1 else format_count(len(change.before), "session")
        self._screen.show_message(f"{name}: undone: {change.title}")


def _name(flags: Sequence[tuple[Session, SessionFlags]]) -> str:
    return flags[0][0].name if len(flags) == 1 else format_count(len(flags), "session")


def format_until(until: float | None) -> str:
    """Formats the end of a snooze: "until it changes", or the time of day of `until` (epoch seconds)."""
    return "until it changes" if until is None else f"until {time.strftime('%H:%M', time.localtime(until))}"
