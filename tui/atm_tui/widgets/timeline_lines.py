"""The timeline's lines, newest last. Follows what comes until its user moves; then everything stays where it is."""

from collections.abc import Callable, Collection
from typing import ClassVar

from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from atm_tui import commands
from atm_tui.timeline.builder import TimelineEvent
from atm_tui.view import present
from atm_tui.view.timeline_row import day, day_line, line

KEEP = 5000
"""Lines that are kept; older ones go."""


class TimelineLines(ScrollView, can_focus=True):
    """While it follows there is no cursor, and the selected session is the one that was selected before."""

    ALLOW_SELECT = False
    BINDINGS = commands.bindings("tree")
    BINDING_GROUP_TITLE = "Timeline"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"timeline-lines--cursor"}

    class Moved(Message):
        """The cursor moved to a moment of a session, or went (None): it follows again. `by_user`: a key or click did it."""

        def __init__(self, session_id: str | None, *, by_user: bool = True) -> None:
            super().__init__()
            self.session_id = session_id
            self.by_user = by_user

    def __init__(self, name_of: Callable[[str], str], glyphs: present.Glyphs, chosen: str | None) -> None:
        super().__init__(id="timeline")
        self._name_of = name_of
        self._glyphs = glyphs
        self._all: list[TimelineEvent] = []
        self._keep: Callable[[TimelineEvent], bool] = lambda _: True
        self._marks: tuple[str, ...] = ()
        self._rows: list[TimelineEvent | float] = []
        self._cursor: TimelineEvent | None = None
        self._at = 0
        self.chosen = chosen
        """The id of the selected session: its name stands out."""
        self.behind = 0
        """How many of the moments that are shown came since it no longer follows."""

    @property
    def follows(self) -> bool:
        """Whether it shows the newest line whenever one comes."""
        return self._cursor is None

    @property
    def moments(self) -> list[TimelineEvent]:
        """What is shown, oldest first."""
        return [each for each in self._rows if isinstance(each, TimelineEvent)]

    @property
    def known(self) -> int:
        """How many moments there are, shown or not."""
        return len(self._all)

    @property
    def numbered(self) -> list[str]:
        """Ids of the first nine sessions in view, top to bottom."""
        rows = self._rows[self.scroll_offset.y : self.scroll_offset.y + self.size.height]
        return list(dict.fromkeys(row.session_id for row in rows if isinstance(row, TimelineEvent)))[:9]

    # What is shown

    def add(self, moments: list[TimelineEvent], sessions: Collection[str], *, again: bool = False) -> None:
        """Takes further moments, each at its place by time; `again`: in place of all that were there. Those of other
        sessions than these ids go.
        """
        if again:
            self._cursor, self.behind, self._at = None, 0, 0
        kept = [] if again else [each for each in self._all if each.session_id in sessions]
        if not moments and not again and len(kept) == len(self._all):
            return
        late = bool(kept) and bool(moments) and moments[0].at < kept[-1].at
        whole = [*kept, *moments]
        if late:
            whole.sort(key=lambda each: each.at)
        self.behind += 0 if self.follows else sum(map(self._keep, moments))
        self._all = whole[-KEEP:]
        self._place()

    def show(self, keep: Callable[[TimelineEvent], bool], marks: tuple[str, ...]) -> None:
        """Shows those that `keep` lets through, and `marks` in names and texts. The selected session stays selected as long
        as there is a moment of it, else it is that of the newest.
        """
        self._keep, self._marks = keep, marks
        self._place()
        shown = {each.session_id for each in self.moments}
        if self._cursor is not None:
            self._choose(self._cursor.session_id)
        elif shown and self.chosen not in shown:
            self._choose(self.moments[-1].session_id)

    def _choose(self, session_id: str) -> None:
        if session_id != self.chosen:
            self.chosen = session_id
            self.post_message(self.Moved(session_id, by_user=False))

    def _place(self) -> None:
        """Days and moments as rows; the cursor keeps its moment and its place on the screen."""
        moments = list(filter(self._keep, self._all))
        rows: list[TimelineEvent | float] = []
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
            if found is None:  # it went: the next newer one takes its place, or the last
                times = [
                    at for at, row in enumerate(rows) if isinstance(row, TimelineEvent) and row.at >= self._cursor.at
                ]
                found = times[0] if times else len(rows) - 1
                row = rows[found] if rows else None
                self._cursor = row if isinstance(row, TimelineEvent) else None
            self._at = max(0, found)
            self.scroll_to(y=max(0, self.scroll_offset.y + self._at - before), animate=False)
        self._keep_up()
        self.refresh()

    def _keep_up(self) -> None:
        if self.follows:
            self.scroll_to(y=max(0, len(self._rows) - self.size.height), animate=False, force=True)

    def select(self, session_id: str, *, by_user: bool) -> None:
        """Another session is the selected one. Where there is a cursor, it goes to the nearest moment of that session."""
        self.chosen = session_id
        places = [
            at for at, row in enumerate(self._rows) if isinstance(row, TimelineEvent) and row.session_id == session_id
        ]
        if self._cursor is not None and self._cursor.session_id != session_id and places:
            self._at = min(places, key=lambda at: abs(at - self._at))
            row = self._rows[self._at]
            self._cursor = row if isinstance(row, TimelineEvent) else None
            self._show_cursor()
        self.refresh()
        self.post_message(self.Moved(session_id, by_user=by_user))

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        at, width = y + self.scroll_offset.y, max(1, self.outer_size.width - 1)
        if at >= len(self._rows):
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        row = self._rows[at]
        cursor = row is self._cursor
        if isinstance(row, TimelineEvent):
            chosen = row.session_id == self.chosen
            name = self._name_of(row.session_id)
            number = self._number(at)
            parts = line(row, name, width, self._glyphs, cursor=cursor, chosen=chosen, number=number, marks=self._marks)
        else:
            parts = day_line(row, width, self._glyphs)
        style = self.get_visual_style("timeline-lines--cursor") if cursor else self.visual_style
        shown = present.content(*parts)
        return Visual.to_strips(self, shown, width, 1, style, apply_selection=False, pad=True)[0].crop(
            0, self.size.width
        )

    def _number(self, at: int) -> str:
        """The key that selects the session of this row, at the first one in view."""
        row, above = self._rows[at], self._rows[self.scroll_offset.y : at]
        if not isinstance(row, TimelineEvent):
            return ""
        before = {each.session_id for each in above if isinstance(each, TimelineEvent)}
        first = row.session_id not in before and len(before) < 9
        return str(len(before) + 1) if first else ""

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
        if self._rows and not isinstance(self._rows[at], TimelineEvent):
            at += step if 0 <= at + step < len(self._rows) else -step
        row = self._rows[at] if self._rows else None
        if isinstance(row, TimelineEvent):
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
            if isinstance(row, TimelineEvent) and row.session_id == self.chosen:
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
