"""The list of sessions that are over: one line each, a cursor that is bound to the session's id."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from atm_tui import commands
from atm_tui.monitor.past import Past
from atm_tui.view import present
from atm_tui.view.history_row import line


class HistoryList(ScrollView, can_focus=True):
    """Shows what it is given, newest first; says what is selected."""

    ALLOW_SELECT = False
    BINDINGS = commands.bindings("tree")
    BINDING_GROUP_TITLE = "History"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"history-list--cursor"}

    class Selected(Message):
        """Another session is selected, or none. `by_user`: a key or click did it."""

        def __init__(self, session_id: str | None, *, by_user: bool) -> None:
            super().__init__()
            self.session_id = session_id
            self.by_user = by_user

    def __init__(self, now: Callable[[], float], glyphs: present.Glyphs, chosen: str | None) -> None:
        """`chosen` is the id of the session that is selected as soon as it is there, unless the user selects another."""
        super().__init__(id="history")
        self._chosen = chosen
        self._laid: Mapping[str, str] = {}
        self._now = now
        self._glyphs = glyphs
        self._entries: tuple[Past, ...] = ()
        self._marks: tuple[str, ...] = ()
        self._at = 0

    @property
    def selected(self) -> Past | None:
        """The entry under the cursor."""
        return self._entries[self._at] if self._entries else None

    @property
    def numbered(self) -> list[str]:
        """Ids of the first nine sessions in view."""
        top = self.scroll_offset.y
        return [each.session.session_id for each in self._entries[top : top + self.size.height]][:9]

    def show(self, entries: tuple[Past, ...], marks: tuple[str, ...], laid: Mapping[str, str]) -> None:
        """Takes the entries that fit the filter, what is marked, and what the user laid on each, by id. The cursor stays on
        its session while that is there.
        """
        before = self.selected
        found = self._place_of(self._chosen, entries)
        if found is None and before is not None:
            found = self._place_of(before.session.session_id, entries)
        shift = found - self._at if found is not None and before is not None else 0
        self._entries, self._marks, self._laid = entries, marks, laid
        self._at = found if found is not None else min(self._at, max(0, len(entries) - 1))
        self.virtual_size = Size(self.size.width, len(entries))
        if shift:
            self.scroll_to(y=max(0, self.scroll_offset.y + shift), animate=False)
        self._show_cursor()
        self.refresh()
        self._tell(by_user=False)

    @staticmethod
    def _place_of(session_id: str | None, entries: tuple[Past, ...]) -> int | None:
        return next((at for at, each in enumerate(entries) if each.session.session_id == session_id), None)

    def _tell(self, *, by_user: bool) -> None:
        entry = self.selected
        self.post_message(self.Selected(entry.session.session_id if entry else None, by_user=by_user))

    def select(self, session_id: str, *, by_user: bool) -> None:
        """Puts the cursor on a session; one that is not there changes nothing."""
        found = self._place_of(session_id, self._entries)
        if found is not None:
            self._go(found, by_user=by_user)

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        at, width = y + self.scroll_offset.y, max(1, self.outer_size.width - 1)
        if at >= len(self._entries):
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        cursor = at == self._at
        parts = line(
            self._entries[at],
            width,
            self._now(),
            self._glyphs,
            self._marks,
            cursor=cursor,
            number=str(y + 1) if y < 9 else "",
            laid=self._laid.get(self._entries[at].session.session_id, ""),
        )
        style = self.get_visual_style("history-list--cursor") if cursor else self.visual_style
        shown = present.content(*parts)
        return Visual.to_strips(self, shown, width, 1, style, apply_selection=False, pad=True)[0].crop(
            0, self.size.width
        )

    def on_resize(self, _: Resize) -> None:
        """Keeps the cursor in view."""
        self.virtual_size = Size(self.size.width, len(self._entries))
        self._show_cursor()

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self._at, 1, 1), animate=False)

    def _go(self, at: int, *, by_user: bool = True) -> None:
        if self._entries:
            self._at = max(0, min(at, len(self._entries) - 1))
            self._chosen = self._entries[self._at].session.session_id
            self._show_cursor()
            self.refresh()
            self._tell(by_user=by_user)

    def action_cursor_down(self) -> None:
        """Selects the next line."""
        self._go(self._at + 1)

    def action_cursor_up(self) -> None:
        """Selects the line before."""
        self._go(self._at - 1)

    def action_cursor_first(self) -> None:
        """Selects the newest."""
        self._go(0)

    def action_cursor_last(self) -> None:
        """Selects the oldest."""
        self._go(len(self._entries) - 1)

    def action_page_down(self) -> None:
        """Selects the line one screen down."""
        self._go(self._at + max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        """Selects the line one screen up."""
        self._go(self._at - max(1, self.size.height - 1))

    def action_fold(self) -> None:
        """There is nothing to the left."""

    def action_unfold(self) -> None:
        """There is nothing to the right."""

    def on_click(self, event: Click) -> None:
        """Selects a line; a second click at once jumps, as far as that goes."""
        at = event.y + self.scroll_offset.y
        if event.chain == 2 and at == self._at:
            self.call_later(self.run_action, "screen.command('jump')")
        elif at < len(self._entries):
            self._go(at)
