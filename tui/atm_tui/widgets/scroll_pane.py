"""A pane: a titled rule, and below it lines that scroll. Paints only the lines that differ from before."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import BindingType
from textual.events import MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from atm_tui import commands
from atm_tui.view.pane import Line, Write
from atm_tui.view.pane_heights import ALL
from atm_tui.view.present import Glyphs, Part, content, cut, fit_parts
from atm_tui.view.subject import Subject
from atm_tui.widgets.in_view import is_in_view

WHEEL = 2
"""Lines by which a notch of the wheel scrolls."""


@dataclass(frozen=True)
class About:
    """What a pane is about."""

    name: str
    write: Write
    count: Callable[[Subject], str | None] = lambda _: ""
    """A figure beside the title; None: the pane has nothing to do with this subject."""
    least: int = 3
    """Lines of text below which it is not worth a title."""
    enough: int = ALL
    """Lines of text that do at a glance, as long as other panes lack some."""
    follows: bool = False
    """What is new comes at the end, and is shown until its user scrolls away from it."""


@dataclass(frozen=True)
class PaneStyle:
    """How a pane looks besides its lines."""

    title: str = ""
    figure: str = ""
    number: int = 0
    """The key that leads to it; 0 while keys don't."""
    held: bool = False
    """It has the focus."""
    corner: str = ""
    """What joins its title to the line on its left; empty where there is no such line."""
    side_role: str = "rule"
    """The role of that line."""
    top_role: str = "rule"
    """The role of the title's rule."""


class ScrollPane(Widget, can_focus=True):
    """One of the panes beside or under the tree. `id` is "pane-" and the name."""

    ALLOW_SELECT = False
    FOCUS_ON_CLICK = False
    BINDINGS: ClassVar[list[BindingType]] = [*commands.bindings("tree"), *commands.pane_bindings()]
    BINDING_GROUP_TITLE = "Pane"

    def __init__(self, about: About, glyphs: Glyphs) -> None:
        super().__init__(id=f"pane-{about.name}")
        self.about = about
        self._glyphs = glyphs
        self._dress = PaneStyle()
        self._lines: list[Line] = []
        self._strips: dict[int, Strip] = {}
        self._top = 0
        self._scrolled = False

    @property
    def lines(self) -> list[Line]:
        """All lines of its text, whether they are in view or not."""
        return self._lines

    @property
    def top(self) -> int:
        """How many lines are above what is shown."""
        rows, last = self._rows, max(0, len(self._lines) - self._rows)
        return last if self.about.follows and not self._scrolled and rows else min(self._top, last)

    @property
    def text_width(self) -> int:
        """Cells that a line of its text has room for."""
        return max(1, self.size.width - 2 - bool(self._dress.corner))

    def shows_lines(self, lines: range) -> bool:
        """Whether these of its lines are in view, and nothing covers them."""
        first, width = lines.start - self.top, self.size.width
        in_pane = first >= 0 and first + len(lines) <= self._rows
        return in_pane and is_in_view(self, Region(0, 1 + first, width, len(lines)))

    @property
    def _rows(self) -> int:
        return max(0, self.size.height - 1)

    # What is shown

    def dress(self, dress: PaneStyle) -> None:
        """Takes another look."""
        before, self._dress = self._dress, dress
        if before != dress:
            if (before.corner, before.side_role) == (dress.corner, dress.side_role):
                self.refresh(Region(0, 0, self.size.width, 1))
            else:
                self._strips.clear()
                self.refresh()

    def show(self, lines: list[Line]) -> None:
        """Takes the lines of its text. What is in view stays there when lines come or go above it."""
        before, top = self._lines, self.top
        if lines is before or lines == before:
            return
        if self.about.follows and self._scrolled and top < len(before):
            anchor = before[top]
            self._top = next((at for at, line in enumerate(lines) if line is anchor), top)
        self._lines = lines
        if self.top != top or len(lines) != len(before):
            self._strips.clear()
            self.refresh()
            return
        for at in (at for at, (old, new) in enumerate(zip(before, lines, strict=True)) if old != new):
            self._strips.pop(at, None)
            if 0 <= at - top < self._rows:
                self.refresh(Region(0, 1 + at - top, self.size.width, 1))

    def home(self) -> None:
        """Begins anew: with what comes first or, where it follows, with what came last."""
        self._scrolled = False
        self._go(0)

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        if not y:
            return self._strip(self._head(self.size.width))
        at = self.top + y - 1
        kept = self._strips.get(at)
        if kept is None or kept.cell_length != self.size.width:
            line = self._lines[at] if at < len(self._lines) else []
            left: Line = [(self._glyphs.pipe, self._dress.side_role)] if self._dress.corner else []
            inner = max(0, self.size.width - len(left) - 2)
            # Whatever a line holds, it is cut with a mark rather than clipped.
            kept = self._strip([*left, (" ", "plain"), *fit_parts(line, inner), (" ", "plain")])
            self._strips[at] = kept
        return kept

    def _strip(self, parts: Line) -> Strip:
        width = self.size.width
        shown = content(*parts)
        return Visual.to_strips(self, shown, width, 1, self.visual_style, apply_selection=False, pad=True)[0]

    def _head(self, width: int) -> Line:
        dress, rule = self._dress, self._glyphs.rule
        start: Line = [(dress.corner, dress.side_role)] if dress.corner else []
        mark: Part = (self._glyphs.cursor, "key") if dress.held else (" ", "rule")
        number: Line = [(f"{dress.number} ", "key" if dress.held else "faint")] if dress.number else []
        figure: Line = [(f" {dress.figure}", "muted")] if dress.figure else []
        rest = self._hidden()
        hidden: Line = [(f" {rest} ", "faint"), (rule, dress.top_role)] if rest else []
        around = [*start, (rule, dress.top_role), mark, *number, *figure, (" ", "plain")]
        room = width - sum(cell_len(text) for text, _ in [*around, *hidden])
        title = cut(dress.title, max(4, room))
        left = [*start, (rule, dress.top_role), mark, *number, (title, "title"), *figure]
        left.append((" ", "plain"))
        gap = width - sum(cell_len(text) for text, _ in [*left, *hidden])
        return fit_parts([*left, (rule * max(0, gap), dress.top_role), *hidden], width)

    def _hidden(self) -> str:
        """How much of the text is out of view."""
        count, rows, top = len(self._lines), self._rows, self.top
        if count <= rows or not rows:
            return ""
        if not top:
            return f"+{count - rows} more"
        return f"{top + 1}–{top + rows} of {count}" if self._scrolled or not self.about.follows else f"+{top} before"

    def notify_style_update(self) -> None:
        """Colours changed: nothing painted is of use any more."""
        super().notify_style_update()
        self._strips.clear()

    # Scrolling

    def _go(self, top: int) -> None:
        before = self.top
        last = max(0, len(self._lines) - self._rows)
        self._top = max(0, min(top, last))
        if self.about.follows and self._top >= last:
            self._scrolled = False
        if self.top != before:
            self.refresh()

    def _by(self, lines: int) -> None:
        top = self.top
        self._scrolled = True
        self._go(top + lines)

    def action_cursor_down(self) -> None:
        """A line on."""
        self._by(1)

    def action_cursor_up(self) -> None:
        """A line back."""
        self._by(-1)

    def action_page_down(self) -> None:
        """As much on as is shown, less a line."""
        self._by(max(1, self._rows - 1))

    def action_page_up(self) -> None:
        """As much back."""
        self._by(-max(1, self._rows - 1))

    def action_cursor_first(self) -> None:
        """To the first line."""
        self._by(-len(self._lines))

    def action_cursor_last(self) -> None:
        """To the last line."""
        self._by(len(self._lines))

    async def action_fold(self) -> None:
        """To the pane before."""
        await self.run_action("screen.panes_back")

    async def action_unfold(self) -> None:
        """To the next pane."""
        await self.run_action("screen.panes")

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """The wheel scrolls what it is over, whatever has the focus."""
        event.stop()
        self._by(WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """And back."""
        event.stop()
        self._by(-WHEEL)
