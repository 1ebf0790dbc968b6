"""The list of the history: sessions of the last days that have ended, newest first."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.events import Click
from textual.message import Message

from atm_tui import commands
from atm_tui.monitor.past import PastSession
from atm_tui.text import format_age
from atm_tui.view import present
from atm_tui.view.history_row import write_entry
from atm_tui.widgets.line_list import LineList


class HistoryList(LineList[PastSession, str]):
    """Shows entries, and reports which session is selected."""

    REPORTS_AGAIN: ClassVar[bool] = True
    BINDINGS = commands.make_bindings("tree")
    BINDING_GROUP_TITLE = "History"

    class Selected(Message):
        """Another session was selected, or none. `by_user`: by a key or click."""

        def __init__(self, session_id: str | None, *, by_user: bool) -> None:
            super().__init__()
            self.session_id = session_id
            self.by_user = by_user

    def __init__(self, now: Callable[[], float], glyphs: present.Glyphs, chosen: str | None) -> None:
        """`chosen`: id of the session to select once it is listed, unless the user selects another."""
        super().__init__(id="history")
        self._chosen = chosen
        self._now = now
        self._glyphs = glyphs
        self._notes: Mapping[str, str] = {}
        self._marks: tuple[str, ...] = ()
        self._project = 0

    @property
    def entries(self) -> Sequence[PastSession]:
        """The listed entries, newest first."""
        return self._lines

    @property
    def selected(self) -> PastSession | None:
        """The entry under the cursor."""
        at = self.cursor_at
        return None if at is None else self._lines[at]

    @property
    def numbered_ids(self) -> list[str]:
        """Ids of the first nine sessions in view."""
        return [self._lines[at].session.session_id for at in self.in_view][:9]

    def show(
        self, entries: Sequence[PastSession], marks: tuple[str, ...], notes: Mapping[str, str], project: int
    ) -> None:
        """Updates the entries. `marks`: the words to highlight; `notes`: by session id, its flag in a word; `project`: the cells of
        the widest project's name.
        """
        self._marks, self._notes, self._project = marks, notes, project
        self.set_lines(entries)
        if self._chosen in self._index:
            self._cursor = self._chosen
        self.scroll_to_cursor()
        self.refresh()
        self.report_cursor(by_user=False)

    def get_key(self, line: PastSession) -> str:
        """Returns the id of the entry's session."""
        return line.session.session_id

    def replace_cursor(self, old: Sequence[PastSession], was: int | None) -> str | None:
        """Returns the session in the place of the one that is gone; at first, the newest."""
        return super().replace_cursor(old, was or 0)

    def report_cursor(self, *, by_user: bool) -> None:
        """Reports which session is selected; the user's choice stays selected while it is listed."""
        entry = self.selected
        session_id = entry.session.session_id if entry else None
        if by_user:
            self._chosen = session_id
        self.post_message(self.Selected(session_id, by_user=by_user))

    def select(self, session_id: str, *, by_user: bool) -> None:
        """Moves the cursor to a session; unless `by_user`, one that is not listed yet is selected once it is."""
        if session_id in self._index:
            self._chosen = session_id
            self.put_cursor(session_id, by_user=by_user)
        elif not by_user:
            self._chosen = session_id

    def get_line_state(self, at: int) -> tuple[object, ...]:
        """Returns what an entry shows, with its current age."""
        entry, age = self._lines[at], format_age(self._now() - self._lines[at].at)
        return entry, age, self._get_note(at), at == self.cursor_at, self._get_number(at), self._marks, self._project

    def write_line(self, at: int) -> Sequence[present.Part]:
        """Returns an entry in the columns of this width."""
        return write_entry(
            self._lines[at],
            self.line_width,
            self._now(),
            self._glyphs,
            self._marks,
            cursor=at == self.cursor_at,
            number=self._get_number(at),
            note=self._get_note(at),
            project=self._project,
        )

    def _get_number(self, at: int) -> str:
        """Returns the number key that selects an entry; empty if none does."""
        return str(at - self.top + 1) if 0 <= at - self.top < 9 else ""

    def _get_note(self, at: int) -> str:
        return self._notes.get(self.get_key(self._lines[at]), "")

    def action_fold(self) -> None:
        """Does nothing: there is nothing to the left."""

    def action_unfold(self) -> None:
        """Does nothing: there is nothing to the right."""

    def click_line(self, at: int, event: Click) -> None:
        """Selects a line; a double click jumps."""
        if event.chain == 2 and at == self.cursor_at:
            self.call_later(self.run_action, "screen.command('jump')")
        else:
            super().click_line(at, event)
