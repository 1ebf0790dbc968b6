"""The timeline's lines, newest last. Follows what comes until its user moves; then everything stays where it is."""

from collections.abc import Callable
from typing import ClassVar

from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from atm_tui import commands, present
from atm_tui.story import Moment
from atm_tui.widgets.timeline_text import day, day_line, line

KEEP = 5000
"""Lines that are kept; older ones go."""


class TimelineLines(ScrollView, can_focus=True):
    """While it follows there is no cursor, and the selected session is the one that was selected before."""

    ALLOW_SELECT = False
    BINDINGS = commands.bindings("tree")
    BINDING_GROUP_TITLE = "Timeline"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"timeline-lines--cursor"}

    class Moved(Message):
        """The cursor moved to a moment of a session, or went (None): it follows again."""

        def __init__(self, session_id: str | None) -> None:
            super().__init__()
            self.session_id = session_id

    def __init__(self, name_of: Callable[[str], str], glyphs: present.Glyphs, chosen: str | None) -> None:
        super().__init__(id="timeline")
        self._name_of = name_of
        self._glyphs = glyphs
        self._rows: list[Moment | float] = []
        self._cursor: Moment | None = None
        self._at = 0
        self.chosen = chosen
        """The id of the selected session: its name stands out."""
        self.behind = 0
        """How many moments came since it no longer follows."""

    @property
    def follows(self) -> bool:
        """Whether it shows the newest line whenever one comes."""
        return self._cursor is None

    @property
    def moments(self) -> list[Moment]:
        """What is shown, oldest first."""
        return [each for each in self._rows if isinstance(each, Moment)]

    # What is shown

    def add(self, moments: list[Moment], *, again: bool = False) -> None:
        """Takes further moments, each at its place by time; `again`: in place of all that were there."""
        if again:
            self._cursor, self.behind, self._at = None, 0, 0
        if not moments and not again:
            return
        kept = [] if again else self.moments
        late = bool(kept) and bool(moments) and moments[0].at < kept[-1].at
        whole = [*kept, *moments]
        if late:
            whole.sort(key=lambda each: each.at)
        self.behind += 0 if self.follows else len(moments)
        self._place(whole[-KEEP:])

    def _place(self, moments: list[Moment]) -> None:
        """Days and moments as rows; the cursor keeps its moment and its place on the screen."""
        rows: list[Moment | float] = []
        last = ""
        for moment in moments:
            if (today := day(moment.at)) != last:
                rows.append(moment.at)
                last = today
            rows.append(moment)
        before, self._rows = self._at, rows
        self.virtual_size = Size(self.size.width, len(rows))
        if self._cursor is not None:
            found = next((at for at, row in enumerate(rows) if row is self._cursor), None)
            if found is None:  # it was among those that went: the oldest takes its place
                found = min(1, len(rows) - 1)
                row = rows[found]
                self._cursor = row if isinstance(row, Moment) else None
            self._at = found
            self.scroll_to(y=max(0, self.scroll_offset.y + found - before), animate=False)
        self._keep_up()
        self.refresh()

    def _keep_up(self) -> None:
        if self.follows:
            self.scroll_to(y=max(0, len(self._rows) - self.size.height), animate=False, force=True)

    def select(self, session_id: str | None) -> None:
        """Another session is the selected one."""
        if session_id != self.chosen:
            self.chosen = session_id
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        at, width = y + self.scroll_offset.y, max(1, self.outer_size.width - 1)
        if at >= len(self._rows):
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        row = self._rows[at]
        cursor = row is self._cursor
        if isinstance(row, Moment):
            chosen = row.session_id == self.chosen
            name = self._name_of(row.session_id)
            parts = line(row, name, width, self._glyphs, cursor=cursor, chosen=chosen)
        else:
            parts = day_line(row, width, self._glyphs)
        style = self.get_visual_style("timeline-lines--cursor") if cursor else self.visual_style
        shown = present.content(*parts)
        return Visual.to_strips(self, shown, width, 1, style, apply_selection=False, pad=True)[0].crop(
            0, self.size.width
        )

    def on_resize(self, _: Resize) -> None:
        """Keeps the newest line, or the cursor, in view."""
        self.virtual_size = Size(self.size.width, len(self._rows))
        if self.follows:
            self._keep_up()
        else:
            self._show_cursor()

    # Moving

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self._at, 1, 1), animate=False)

    def _go(self, at: int, step: int) -> None:
        at = max(0, min(at, len(self._rows) - 1))
        if self._rows and not isinstance(self._rows[at], Moment):
            at += step if 0 <= at + step < len(self._rows) else -step
        row = self._rows[at] if self._rows else None
        if isinstance(row, Moment):
            self._cursor, self._at = row, at
            self.chosen = row.session_id
            self._show_cursor()
            self.refresh()
            self.post_message(self.Moved(row.session_id))

    def _from(self) -> int:
        return len(self._rows) - 1 if self.follows else self._at

    def action_cursor_up(self) -> None:
        """Stops following, or goes a line up."""
        self._go(self._from() - (0 if self.follows else 1), -1)

    def action_cursor_down(self) -> None:
        """Goes a line down; below the last one it follows again."""
        if self.follows or self._at + 1 >= len(self._rows):
            self.action_cursor_last()
        else:
            self._go(self._at + 1, +1)

    def action_page_up(self) -> None:
        """Goes a screen up."""
        self._go(self._from() - max(1, self.size.height - 1), -1)

    def action_page_down(self) -> None:
        """Goes a screen down; below the last line it follows again."""
        if self.follows or self._at + max(1, self.size.height - 1) >= len(self._rows):
            self.action_cursor_last()
        else:
            self._go(self._at + max(1, self.size.height - 1), +1)

    def action_cursor_first(self) -> None:
        """Goes to the oldest line."""
        self._go(0, +1)

    def action_cursor_last(self) -> None:
        """Follows what comes."""
        self._cursor, self.behind = None, 0
        self._keep_up()
        self.refresh()
        self.post_message(self.Moved(None))

    def action_fold(self) -> None:
        """To the moment before of the same session."""
        self._same(-1)

    def action_unfold(self) -> None:
        """To the next moment of the same session."""
        self._same(+1)

    def _same(self, step: int) -> None:
        at = self._from() + step if not self.follows else len(self._rows) - 1
        while 0 <= at < len(self._rows):
            row = self._rows[at]
            if isinstance(row, Moment) and row.session_id == self.chosen:
                self._go(at, step)
                return
            at += step if not self.follows else -1

    def on_click(self, event: Click) -> None:
        """Puts the cursor on a line."""
        at = event.y + self.scroll_offset.y
        if at < len(self._rows):
            self._go(at, +1)

    def on_mouse_scroll_up(self) -> None:
        """The wheel stops following as the keys do."""
        if self.follows:
            self._go(len(self._rows) - 1, -1)
