"""A pane beside or below the tree: a titled rule above lines that scroll."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import BindingType
from textual.events import MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.strip import Strip

from atm_tui import commands
from atm_tui.text import cut_width
from atm_tui.view.clocks import Clock, VisibleClocks
from atm_tui.view.pane import Counting, Line, PaneContent
from atm_tui.view.present import Glyphs, Part, fit_parts
from atm_tui.view.subject import Subject
from atm_tui.widgets.fleet_view import is_in_view
from atm_tui.widgets.line_list import LineList
from atm_tui.widgets.painting import locate, show_cells

WHEEL = 2
"""Lines per step of the mouse wheel."""


class PaneStyle(msgspec.Struct, frozen=True):
    """How a pane looks besides its lines."""

    title: str = ""
    figure: str = ""
    number: int = 0
    """The number key that goes to it; 0: none does now."""
    focused: bool = False
    """Whether it has the focus."""
    corner: str = ""
    """The sign that joins its title to the line on its left; empty without such a line."""
    side_role: str = "rule"
    """The role of that line."""
    top_role: str = "rule"
    """The role of the title's rule."""


class ScrollPane(LineList[Line, str]):
    """Shows the lines of its content. Its id is "pane-" and the name; no line can be selected.

    A pane whose newest lines are last stays at its end until the user scrolls away.
    """

    FOCUS_ON_CLICK = False
    HEADING: ClassVar[int] = 1
    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_bindings("tree"), *commands.make_pane_bindings()]
    BINDING_GROUP_TITLE = "Pane"

    def __init__(self, content: PaneContent, glyphs: Glyphs, look: Callable[[], tuple[Subject, float]]) -> None:
        """`look`: returns the subject, and the time in epoch seconds."""
        super().__init__(id=f"pane-{content.name}")
        self.content = content
        self._look = look
        self._glyphs = glyphs
        self._style = PaneStyle()
        self._top = 0
        self._is_scrolled = False
        self._ends: dict[int, tuple[object, int, int, Strip]] = {}
        """By line: what holds for the others: the row and the column of its last part, and that part as it was rendered."""

    @property
    def lines(self) -> Sequence[Line]:
        """All lines of its text, in view or not."""
        return self._lines

    @property
    def top(self) -> int:
        """The index of the first line in view."""
        last = max(0, self.line_count - self.page)
        return last if self.content.newest_last and not self._is_scrolled and self.page else min(self._top, last)

    @property
    def line_width(self) -> int:
        """Width of a line in cells: all, since a pane has no scrollbar."""
        return self.size.width

    @property
    def text_width(self) -> int:
        """Width of its text in cells."""
        return max(1, self.size.width - 2 - bool(self._style.corner))

    def shows_lines(self, lines: range) -> bool:
        """Returns whether these lines are in view and not covered."""
        first, width = lines.start - self.top, self.size.width
        in_pane = first >= 0 and first + len(lines) <= self.page
        return in_pane and is_in_view(self, Region(0, self.HEADING + first, width, len(lines)))

    def fit_height(self) -> None:
        """Does nothing: a pane scrolls by itself, without a scrollbar."""

    # What is shown

    def set_style(self, style: PaneStyle) -> None:
        """Changes the style."""
        before, self._style = self._style, style
        if before != style:
            if (before.corner, before.side_role) == (style.corner, style.side_role):
                self.refresh(Region(0, 0, self.size.width, 1))
            else:
                self.refresh()

    def show(self, lines: Sequence[Line]) -> None:
        """Replaces its lines. What is in view stays in place when lines come or go above it."""
        before, top = self._lines, self.top
        if lines is before or lines == before:
            return
        if self.content.newest_last and self._is_scrolled and top < len(before):
            anchor = before[top]
            self._top = next((at for at, line in enumerate(lines) if line is anchor), top)
        self.set_lines(lines)
        if self.top != top:
            self.refresh()

    def tick_clocks(self) -> bool:
        """Updates the ends of lines that count seconds; returns whether it could."""
        return all(self._change_end(*each) for each in self.content.write_clocks(*self._look()))

    def _change_end(self, word: str, end: Part) -> bool:
        """Changes the last part of the line that begins with a word ("": the first line), and renders only that part.

        Returns whether that is possible: the part must have as many cells and the same role as before.
        """
        at, lines = self._find_line(word), self._lines
        if at is None or not _can_replace(lines[at][-1], end):
            return False
        *others, before = lines[at]
        if before == end:
            return True
        look = (others, end[1], len(lines), self._top, self.outer_size, self._style)
        self._lines = self._replace_end(at, end)
        if (known := self._ends.get(at)) is None or known[0] != look:
            known = self._ends[at] = look, *self._render_end(at)
        _, y, column, strip = known
        if strip.cell_length:
            show_cells(self, [(column, y, Strip([Segment(end[0], next(iter(strip)).style)]))])
        return True

    def add_clocks(self, clocks: VisibleClocks) -> None:
        """Adds the times at the ends of lines that count seconds and are in view."""
        if (place := locate(self)) is not None:
            for each in self.content.list_countings(*self._look()):
                self._add_clock(clocks, each, *place)

    def _add_clock(self, clocks: VisibleClocks, counting: Counting, left: int, top: int) -> None:
        at = self._find_line(counting.word)
        if at is None or (place := self._find_end(at)) is None:
            return
        y, column = place
        clock = Clock(0, top + y, 0, counting.zero, counting.fine_until, counting.counts_down)
        width = len(clock.format(clocks.now))
        clocks.add(clock._replace(x=left + column + cell_len(self._lines[at][-1][0]) - width, width=width))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Renders lines; those that count seconds as they are now, since the terminal may show later ones than the last `show`."""
        for word, end in self.content.write_clocks(*self._look()):
            at = self._find_line(word)
            if (
                at is not None
                and at - self.top + self.HEADING in crop.line_range
                and _can_replace(self._lines[at][-1], end)
            ):
                self._lines = self._replace_end(at, end)
        return super().render_lines(crop)

    def _replace_end(self, at: int, end: Part) -> list[Line]:
        return [*self._lines[:at], [*self._lines[at][:-1], end], *self._lines[at + 1 :]]

    def _find_line(self, word: str) -> int | None:
        """Returns the index of the line that begins with a word ("": the first line), and has more; None without one."""
        if not word:
            return 0 if self._lines and self._lines[0] else None
        named = (at for at, line in enumerate(self._lines) if line[1:] and line[0][0].rstrip() == word)
        return next(named, None)

    def _render_end(self, at: int) -> tuple[int, int, Strip]:
        """Returns row and column of the last part of a line, and this part; nothing if it is not in view as a whole."""
        if (place := self._find_end(at)) is None:
            return 0, 0, Strip([])
        y, column = place
        after = column + cell_len(self._lines[at][-1][0])
        return y, column, self.render_lines(Region(0, y, self.size.width, 1))[0].crop(column, after)

    def _find_end(self, at: int) -> tuple[int, int] | None:
        """Returns row and column at which the last part of a line begins; None if it is not in view as a whole."""
        y, line = at - self.top + self.HEADING, self._lines[at]
        column = bool(self._style.corner) + 1 + sum(cell_len(text) for text, _ in line[:-1])
        is_in_view = self.HEADING <= y < self.size.height and column + cell_len(line[-1][0]) < self.size.width
        return (y, column) if is_in_view else None

    def clear_strips(self) -> None:
        """Drops all that was rendered."""
        self._ends.clear()
        super().clear_strips()

    def notify_style_update(self) -> None:
        """Drops all that was rendered: colours changed."""
        self._ends.clear()
        super().notify_style_update()

    def reset(self) -> None:
        """Scrolls to the first line or, where the newest lines are last, to the end."""
        self._is_scrolled = False
        self._scroll_top(0)

    def stay_at(self, other: "ScrollPane") -> None:
        """Scrolls to where another pane of this content is."""
        self._top, self._is_scrolled = other.top, other._is_scrolled  # noqa: SLF001  of the same class
        self.refresh()

    def get_line_state(self, at: int) -> tuple[Line, str, str]:
        """Returns a line, and the line on its left."""
        return self._lines[at], self._style.corner, self._style.side_role

    def write_line(self, at: int) -> Sequence[Part]:
        """Returns a line between its margins; one that is too long is cut with "…"."""
        left: Line = [(self._glyphs.pipe, self._style.side_role)] if self._style.corner else []
        inner = max(0, self.size.width - len(left) - 2)
        return [*left, (" ", "plain"), *fit_parts(self._lines[at], inner), (" ", "plain")]

    def render_blank(self) -> Strip:
        """Renders a row below the last line: just the line on its left."""
        left: Line = [(self._glyphs.pipe, self._style.side_role)] if self._style.corner else []
        return self.make_strip(left, self.size.width)

    def render_heading(self) -> Strip:
        """Renders the rule with title, figure, number key, and how much is out of view."""
        return self.make_strip(self._write_heading(self.size.width), self.size.width)

    def _write_heading(self, width: int) -> Line:
        style, rule = self._style, self._glyphs.rule
        start: Line = [(style.corner, style.side_role)] if style.corner else []
        mark: Part = (self._glyphs.cursor, "key") if style.focused else (" ", "rule")
        number: Line = [(f"{style.number} ", "key" if style.focused else "faint")] if style.number else []
        figure: Line = [(f" {style.figure}", "muted")] if style.figure else []
        rest = self._format_hidden()
        hidden: Line = [(f" {rest} ", "faint"), (rule, style.top_role)] if rest else []
        around = [*start, (rule, style.top_role), mark, *number, *figure, (" ", "plain")]
        room = width - sum(cell_len(text) for text, _ in [*around, *hidden])
        title = cut_width(style.title, max(4, room))
        left = [*start, (rule, style.top_role), mark, *number, (title, "title"), *figure]
        left.append((" ", "plain"))
        gap = width - sum(cell_len(text) for text, _ in [*left, *hidden])
        return fit_parts([*left, (rule * max(0, gap), style.top_role), *hidden], width)

    def _format_hidden(self) -> str:
        """Returns how much of the text is out of view."""
        count, rows, top = self.line_count, self.page, self.top
        if count <= rows or not rows:
            return ""
        if not top:
            return f"+{count - rows} more"
        if self._is_scrolled or not self.content.newest_last:
            return f"{top + 1}–{top + rows} of {count}"
        return f"+{top} before"

    # Scrolling

    def _scroll_top(self, top: int) -> None:
        before = self.top
        last = max(0, self.line_count - self.page)
        self._top = max(0, min(top, last))
        if self.content.newest_last and self._top >= last:
            self._is_scrolled = False
        if self.top != before:
            self.refresh()

    def move_by(self, lines: int) -> None:
        """Scrolls by a number of lines."""
        top = self.top
        self._is_scrolled = True
        self._scroll_top(top + lines)

    async def action_fold(self) -> None:
        """Goes to the previous pane."""
        await self.run_action("screen.command('panes_back')")

    async def action_unfold(self) -> None:
        """Goes to the next pane."""
        await self.run_action("screen.command('panes')")

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Scrolls down the pane under the mouse, whatever has the focus."""
        event.stop()
        self.move_by(WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Scrolls up the pane under the mouse."""
        event.stop()
        self.move_by(-WHEEL)


def _can_replace(before: Part, after: Part) -> bool:
    """Returns whether a part takes the same cells, in the same role."""
    return len(before[0]) == len(after[0]) and before[1] == after[1] and (before[0] + after[0]).isascii()
