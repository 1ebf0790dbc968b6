"""The base of all lists of lines: renders the lines in view, keeps the cursor on its key, moves, pages and scrolls."""

from collections.abc import Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style as SegmentStyle
from textual.events import Blur, Click, Focus, Resize
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget

from atm_tui.view.present import ROLES, Part, make_content
from atm_tui.widgets.painting import collects_cells, show_cells

SPARE_STRIPS = 32
"""Number of cached lines beyond the listed ones after which lines that are gone are dropped."""
RIGHT = 3
"""The right button of the mouse, as Textual numbers it."""
LineT = TypeVar("LineT")
KeyT = TypeVar("KeyT", bound=Hashable)


def render_without_rules(widget: Widget, crop: Region) -> list[Strip] | None:
    """Renders rows of a widget without border, padding or overlay, without checking all style rules for each row; None for any
    other widget. The rows end where its scrollbar begins.
    """
    width = widget.size.width
    if widget.styles.gutter.totals != (0, 0) or widget.styles.opacity != 1.0 or crop.x or crop.width < width:
        return None
    width -= widget.scrollbar_size_vertical
    behind, background = widget.background_colors
    filters, fill = widget.get_line_filters(), SegmentStyle(bgcolor=(behind + background).rich_color)
    strips = []
    for y in crop.line_range:
        strip = widget.render_line(y)
        if strip.cell_length != width:
            strip = strip.crop_extend(0, width, fill)
        for each in filters:
            strip = strip.apply_filter(each, background)
        strips.append(strip)
    return strips


class LineStyles:
    """The styles of the roles on the backgrounds of a widget. They hold until its colours change: then `forget` them."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[Style, dict[str, SegmentStyle]] = {}

    def forget(self) -> None:
        """Discards all styles, so that they are computed again."""
        self._known.clear()

    def render(self, parts: Sequence[Part], width: int, base: Style) -> Strip:
        """Renders text in `width` cells, on the background of `base`."""
        styles = self._known.setdefault(base, {})
        segments = [Segment(text, styles.get(role) or self._add(base, role)) for text, role in parts if text]
        strip = Strip(segments)
        if strip.cell_length > width or not all(text.isprintable() for text, _ in parts):
            # too long, or several lines: Textual knows where to cut
            content = make_content(*parts)
            return Visual.to_strips(self._widget, content, width, 1, base, apply_selection=False, pad=True)[0]
        return strip.extend_cell_length(width, styles.get("") or self._add(base, ""))

    def _add(self, base: Style, role: str) -> SegmentStyle:
        """Returns the style of a role on a background, as in Content; the empty role fills up a line."""
        if role:
            own = self._widget._get_style(ROLES[role])  # noqa: SLF001 (what Content is given, too)
            style = (base + Style.combine([base, own])).rich_style
        else:
            style = (base + Style(reverse=False)).rich_style
        self._known[base][role] = style
        return style


class LineList(ScrollView, Generic[LineT, KeyT], can_focus=True):
    """A subclass defines the key of a line, its text, and what happens when the cursor moved.

    The cursor follows a key, never a position: when other lines come or go, it stays on its line and at its place on the
    screen. Rendered lines are cached; a line is rendered again only when its state changes.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-list--cursor"}
    HEADING: ClassVar[int] = 0
    """Number of rows above the first line, which don't scroll."""
    FILLS_EDGE: ClassVar[bool] = False
    """Whether the cursor's colour covers the scrollbar's cell while there is no scrollbar."""
    REPORTS_AGAIN: ClassVar[bool] = False
    """Whether a move to the line that already has the cursor is reported, too."""

    def __init__(self, *, id: str, classes: str | None = None) -> None:  # noqa: A002 (textual's name)
        super().__init__(id=id, classes=classes)
        self._lines: Sequence[LineT] = ()
        self._cursor: KeyT | None = None
        self._index: dict[KeyT, int] = {}
        self._strips: dict[Hashable, tuple[object, Strip]] = {}
        self._styles = LineStyles(self)
        self._rendered: tuple[int, int] | None = None
        """The first line in view and the width left of the scrollbar, cached while lines are rendered, since both take a while to
        compute.
        """

    class MenuWanted(Message):
        """A line was selected with the right button, at a cell of the screen."""

        def __init__(self, widget: Widget, place: Offset) -> None:
            super().__init__()
            self.widget = widget
            self.place = place

    # Methods that a subclass defines

    def get_key(self, line: LineT) -> KeyT | None:  # noqa: ARG002 (for subclasses)
        """Returns the key of a line, which the cursor follows; None: the line can't be selected."""
        return None

    def get_line_state(self, at: int) -> object:
        """Returns everything that the text of a line depends on; while it is equal, the line is not rendered again."""
        return self._lines[at], at == self.cursor_at

    def write_line(self, at: int) -> Sequence[Part]:
        """Returns the text of a line."""
        raise NotImplementedError

    def report_cursor(self, *, by_user: bool) -> None:
        """Called when another line is under the cursor. `by_user`: moved by a key or click."""

    def replace_cursor(self, old: Sequence[LineT], was: int | None) -> KeyT | None:  # noqa: ARG002 (for subclasses)
        """Returns the key to select when the selected line is gone: the line that took its place.

        `old`: the previous lines; `was`: the index of the cursor in them, or None.
        """
        at = None if was is None else self.find_selectable(was, -1)
        return None if at is None else self.get_key(self._lines[at])

    def find_region(self, at: int) -> tuple[int, int]:
        """Returns the first and the last line to bring into view when the cursor is on a line."""
        return at, at

    # Lines

    @property
    def line_count(self) -> int:
        """Number of lines."""
        return len(self._lines)

    @property
    def line_width(self) -> int:
        """Width of a line in cells; one is always reserved for the scrollbar, so that columns don't move when it appears."""
        return max(1, self.outer_size.width - 1)

    @property
    def top(self) -> int:
        """Index of the first line in view."""
        return self.scroll_offset.y

    @property
    def page(self) -> int:
        """Number of lines that fit into the view."""
        return max(0, self.size.height - self.HEADING)

    @property
    def in_view(self) -> range:
        """Indices of the lines in view."""
        top = self.top
        return range(top, max(top, min(self.line_count, top + self.page)))

    def set_lines(self, lines: Sequence[LineT]) -> None:
        """Replaces the lines. The cursor keeps its key and its place on the screen; only changed lines are rendered again."""
        old, was = self._lines, self.cursor_at
        self._lines = lines
        other = [(at, a, b) for at, (a, b) in enumerate(zip(old, lines, strict=False)) if a is not b]
        if len(old) == len(lines) and all(self.get_key(a) == self.get_key(b) for _, a, b in other):
            if not self.page:  # not on the screen: cached lines would be shown again unless they are marked
                self.refresh()
            in_view = self.in_view
            for at, a, b in other:
                if at in in_view and a != b:
                    self.repaint_line(at)
        else:
            self._index = {key: at for at, line in enumerate(lines) if (key := self.get_key(line)) is not None}
            if len(old) != len(lines):
                self.fit_height()
            self._drop_old_strips()
            self.refresh()
        now = self.cursor_at
        if now is None:
            key = self.replace_cursor(old, was)
            if key != self._cursor:
                self.put_cursor(key, by_user=False)
        elif was is not None and now != was:
            self.scroll_to(y=max(0, self.scroll_offset.y + now - was), animate=False)

    def _drop_old_strips(self) -> None:
        """Drops cached lines that are no longer listed, once there are many of them."""
        if len(self._strips) > self.line_count + SPARE_STRIPS:
            listed = {self._cache_key(at) for at in range(self.line_count)}
            self._strips = {key: strip for key, strip in self._strips.items() if key in listed}

    def fit_height(self) -> None:
        """Fits the scrollable height to the number of lines; with more than a widget shows, the first layout has the scrollbar."""
        if not self.container_size and self.line_count > self.app.size.height:
            self.show_vertical_scrollbar = True  # else it would take a second layout
        self.virtual_size = Size(self.size.width, self.line_count + self.HEADING)

    def repaint_line(self, at: int) -> None:
        """Renders a line again if it is in view."""
        y = at - self.top + self.HEADING
        if self.HEADING <= y < self.size.height:
            region = Region(0, y, self.size.width, 1)
            if collects_cells(self):
                show_cells(self, [(0, y, strip) for strip in self.render_lines(region)])
            else:
                self.refresh(region)

    def clear_strips(self) -> None:
        """Drops all rendered lines: something that all of them depend on changed."""
        self._strips.clear()
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Renders rows of the widget."""
        self._rendered = self.top, self.size.width - self.scrollbar_size_vertical
        try:
            strips = render_without_rules(self, crop)
            return super().render_lines(crop) if strips is None else strips
        finally:
            self._rendered = None

    def render_line(self, y: int) -> Strip:
        """Renders one row of the widget."""
        if y < self.HEADING:
            return self.render_heading()
        top, width = self._rendered or (self.top, self.size.width)
        at = y - self.HEADING + top
        if at >= self.line_count:
            return self.render_blank()
        return self.render_index(at).crop(0, width)

    def render_blank(self) -> Strip:
        """Renders a row below the last line."""
        return Strip.blank(self.size.width, self.visual_style.rich_style)

    def render_heading(self) -> Strip:
        """Renders the row above the lines."""
        return Strip.blank(self.size.width, self.visual_style.rich_style)

    def render_index(self, at: int) -> Strip:
        """Returns a rendered line, from the cache if its state is the same."""
        key, width = self._cache_key(at), self._strip_width
        look = self.get_line_state(at), width
        cached = self._strips.get(key)
        if cached is None or cached[0] != look:
            cached = self._strips[key] = (
                look,
                self.make_strip(self.write_line(at), width, cursor=at == self.cursor_at),
            )
        return cached[1]

    @property
    def _strip_width(self) -> int:
        return self.line_width + self.FILLS_EDGE

    def _cache_key(self, at: int) -> Hashable:
        key = self.get_key(self._lines[at])
        return at if key is None else key

    def make_strip(self, parts: Sequence[Part], width: int, *, cursor: bool = False) -> Strip:
        """Renders text in `width` cells, in the cursor's or the widget's colour."""
        style = self.get_visual_style("line-list--cursor") if cursor else self.visual_style
        return self._styles.render(parts, width, style)

    def notify_style_update(self) -> None:
        """Drops all rendered lines: colours changed."""
        super().notify_style_update()
        self._styles.forget()
        self._strips.clear()

    def on_resize(self, _: Resize) -> None:
        """Keeps the cursor in view."""
        self.fit_height()
        self.scroll_to_cursor()

    def on_focus(self, _: Focus) -> None:
        """Renders the cursor in its other colour."""
        self.clear_strips()

    def on_blur(self, _: Blur) -> None:
        """Renders the cursor in its other colour."""
        self.clear_strips()

    # Cursor

    @property
    def cursor_at(self) -> int | None:
        """Index of the line under the cursor; None: there is no such line."""
        return None if self._cursor is None else self._index.get(self._cursor)

    @property
    def cursor_row(self) -> int:
        """How many lines below the first line in view the cursor is; negative if it is above."""
        return (self.cursor_at or 0) - self.top

    def put_cursor(self, key: KeyT | None, *, by_user: bool) -> None:
        """Moves the cursor to the line of a key, and reports it; None: to no line."""
        before = self.cursor_at
        if key == self._cursor and not self.REPORTS_AGAIN:
            return
        self._cursor = key
        for at in (before, self.cursor_at):
            if at is not None:
                self.repaint_line(at)
        self.scroll_to_cursor()
        self.report_cursor(by_user=by_user)

    def scroll_to_cursor(self) -> None:
        """Scrolls just enough to bring the cursor's line into view."""
        at = self.cursor_at
        if at is not None and self.page:
            first, last = self.find_region(at)
            self.scroll_to_region(Region(0, first, 1, last - first + 1), animate=False)

    def find_selectable(self, at: int, step: int) -> int | None:
        """Returns the index of the nearest line that can be selected, from `at` in the direction of `step` (1 or -1), then in
        the other direction; None when there is none.
        """
        if not self._lines:
            return None
        at = max(0, min(at, len(self._lines) - 1))
        for indices in (
            range(at, len(self._lines) if step > 0 else -1, step),
            range(at, -1 if step > 0 else len(self._lines), -step),
        ):
            for each in indices:
                if self.get_key(self._lines[each]) is not None:
                    return each
        return None

    def go_to(self, at: int, step: int = 1, *, by_user: bool = True) -> None:
        """Moves the cursor to the line nearest to `at` that can be selected."""
        if (found := self.find_selectable(at, step)) is not None:
            self.put_cursor(self.get_key(self._lines[found]), by_user=by_user)

    def move_by(self, lines: int) -> None:
        """Moves the cursor by a number of lines; scrolls instead where no line can be selected."""
        if self._index:
            self.go_to((self.cursor_at or 0) + lines, 1 if lines > 0 else -1)
        else:
            self.scroll_relative(y=lines, animate=False)

    def action_cursor_down(self) -> None:
        """Moves one line down."""
        self.move_by(1)

    def action_cursor_up(self) -> None:
        """Moves one line up."""
        self.move_by(-1)

    def action_page_down(self) -> None:
        """Moves down by one page less a line."""
        self.move_by(max(1, self.page - 1))

    def action_page_up(self) -> None:
        """Moves up by one page less a line."""
        self.move_by(-max(1, self.page - 1))

    def action_cursor_first(self) -> None:
        """Moves to the first line."""
        self.move_by(-self.line_count)

    def action_cursor_last(self) -> None:
        """Moves to the last line."""
        self.move_by(self.line_count)

    def on_click(self, event: Click) -> None:
        """Passes a click on a line to `click_line`; the right button only selects, and asks for a menu."""
        at = event.y - self.HEADING + self.top
        if not (event.y >= self.HEADING and at < self.line_count):
            return
        if event.button == RIGHT:
            self.point_at(at, event)
            self.post_message(self.MenuWanted(self, event.screen_offset))
        else:
            self.click_line(at, event)

    def point_at(self, at: int, event: Click) -> None:
        """Selects a line for a menu."""
        LineList.click_line(self, at, event)

    def click_line(self, at: int, event: Click) -> None:  # noqa: ARG002 (for subclasses)
        """Moves the cursor to the clicked line, if it can be selected."""
        if (key := self.get_key(self._lines[at])) is not None:
            self.put_cursor(key, by_user=True)
