"""Marks sessions, so that pin, snooze and dismiss act on all of them at once. No answer is ever given by marks."""

from collections.abc import Callable

from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.screens.controllers.flags import FlagsController
from atm_tui.text import format_count
from atm_tui.view.command import Command, Selection, get_work_folder
from atm_tui.view.visible_sessions import VisibleSessions


class MarksController:
    """Keeps the marks; those of sessions that leave the list are dropped."""

    def __init__(
        self,
        screen: CommandScreen,
        monitor: Monitor,
        visible: VisibleSessions,
        flags: FlagsController,
        show: Callable[[], None],
    ) -> None:
        """`show` shows the rows again."""
        self._screen = screen
        self._fleet = monitor.fleet
        self._visible = visible
        self._flags = flags
        self._show = show
        self.handlers: Handlers = {"mark": self.mark}

    @property
    def marked(self) -> frozenset[str]:
        """The ids of the marked sessions."""
        return self._visible.marked

    def mark(self) -> None:
        """Marks the selected session or those of the selected project; if all of them are marked, removes their marks."""
        at = self._screen.selection
        if at.session is not None:
            chosen = {at.session.session_id}
        else:
            chosen = {
                each.session_id
                for each in self._fleet.sessions.values()
                if each.root == at.folder and self._visible.is_listed(each)
            }
        self._set(self.marked - chosen if chosen <= self.marked else self.marked | chosen)

    def clear(self) -> None:
        """Removes all marks."""
        self._set(frozenset())

    def _set(self, marked: frozenset[str]) -> None:
        self._visible.marked = marked
        self._show()

    def drop_gone(self) -> None:
        """Drops the marks of sessions that are gone or dismissed."""
        sessions = self._fleet.sessions
        listed = {each for each in self.marked if each in sessions and not self._visible.is_dismissed(sessions[each])}
        if len(listed) < len(self.marked):
            self._visible.marked = frozenset(listed)

    def acts_on(self, command_id: str) -> bool:
        """Returns whether a command acts on the marked sessions now, instead of the selected one."""
        return bool(self.marked) and command_id in self._flags.for_many

    def run(self, command: Command) -> None:
        """Runs a command on all marked sessions that it can act on, and says how many it could not."""
        fit: list[Session] = []
        reasons: list[str] = []
        for session in (each for each in self._fleet.sessions.values() if each.session_id in self.marked):
            at = Selection("session", session, get_work_folder(session), empty=False)
            if reason := command.disabled(at):
                reasons.append(reason)
            else:
                fit.append(session)
        if not fit:
            self._screen.show_message(f"{command.title}: none of the marked: {reasons[0]}", trouble=True)
            return
        left = f"; not {format_count(len(reasons), 'other')}: {reasons[0]}" if reasons else ""
        self._flags.for_many[command.id](fit, left)
