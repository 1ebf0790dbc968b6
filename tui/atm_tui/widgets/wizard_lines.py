"""The lists, details and the diff of the install wizard."""

from collections.abc import Hashable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Blur, Click, Focus, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from atm_tui.view.list_line import ListLine, WriteLines, write_nothing
from atm_tui.view.present import Glyphs, Part, content, fit_parts

LINES_KEYS: tuple[BindingType, ...] = (
    Binding("down,j", "move(1)", "down", show=False),
    Binding("up,k", "move(-1)", "up", show=False),
    Binding("pagedown,ctrl+f", "page(1)", "page down", show=False),
    Binding("pageup,ctrl+b", "page(-1)", "page up", show=False),
    Binding("home,g", "end(-1)", "first", show=False),
    Binding("end,G", "end(1)", "last", show=False),
)
"""What moves in every list of lines."""


class WizardLines(ScrollView, can_focus=True):
    """Paints only what is in sight, however many lines there are. The first cell is the cursor's."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines--cursor"}
    BINDINGS: ClassVar[list[BindingType]] = list(LINES_KEYS)

    class Moved(Message):
        """Another line is under the cursor."""

        def __init__(self, lines: "WizardLines") -> None:
            super().__init__()
            self.lines = lines

        @property
        def control(self) -> "WizardLines":
            """Who says so."""
            return self.lines

    class Clicked(Moved):
        """A line was clicked that was under the cursor already, or has just come under it."""

    def __init__(self, glyphs: Glyphs, id: str, most: int | None = None) -> None:  # noqa: A002 (textual's name)
        """`most`: as high as its lines, up to so many; None: as the style sheet says."""
        super().__init__(id=id)
        self._most = most
        self._glyphs = glyphs
        self._write: WriteLines = write_nothing
        self._rows: list[ListLine] = []
        self._width = 0
        self.cursor: Hashable = None
        """The key of the line under the cursor."""

    @property
    def rows(self) -> list[ListLine]:
        """What is shown, for the width of now."""
        return self._rows

    def show(self, write: WriteLines, *, top: bool = False) -> None:
        """Other lines; the cursor stays on its key where there still is one. `top`: from the first line on."""
        self._write = write
        self._lay_out()
        if top:
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Writes its lines for the new width."""
        if self._line_width != self._width:
            self._lay_out()
        self._keep_in_view()

    @property
    def _line_width(self) -> int:
        """All but the cursor's cell and the scrollbar's, whether it is there or not."""
        return max(1, self.outer_size.width - 2)

    def _lay_out(self) -> None:
        self._width = self._line_width
        if self.outer_size.width < 3:
            return
        self._rows = self._write(self._width)
        self.virtual_size = Size(self._width, len(self._rows))
        if self._most is not None:
            self.styles.height = max(1, min(len(self._rows), self._most))
        keys = self._keys
        if self.cursor not in keys:
            self.move_to(keys[0] if keys else None)
        self.refresh()

    @property
    def _keys(self) -> list[Hashable]:
        return [each.key for each in self._rows if each.key is not None]

    def move_to(self, key: Hashable) -> None:
        """Puts the cursor on the line of that key."""
        if key != self.cursor:
            self.cursor = key
            self._keep_in_view()
            self.refresh()
            self.post_message(self.Moved(self))

    def _keep_in_view(self) -> None:
        at = next((index for index, each in enumerate(self._rows) if each.key == self.cursor is not None), None)
        if at is None or not self.size.height:
            return
        # The lines above the first choice are its heading.
        first = at == next(index for index, each in enumerate(self._rows) if each.key is not None)
        top, height = self.scroll_offset.y, self.size.height
        if first and at < height:
            self.scroll_to(y=0, animate=False)
        elif at < top or at >= top + height:
            self.scroll_to(y=at if at < top else at - height + 1, animate=False)

    def action_move(self, step: int) -> None:
        """The next or previous line that can be chosen; where none can, one line on."""
        keys = self._keys
        if not keys:
            self.scroll_relative(y=step, animate=False)
            return
        at = keys.index(self.cursor) if self.cursor in keys else 0
        self.move_to(keys[max(0, min(at + step, len(keys) - 1))])

    def action_page(self, step: int) -> None:
        """One screen on."""
        if self._keys:
            self.action_move(step * max(1, self.size.height - 1))
        else:
            self.scroll_relative(y=step * max(1, self.size.height - 1), animate=False)

    def action_end(self, step: int) -> None:
        """To the first or last line."""
        if self._keys:
            self.action_move(step * len(self._rows))
        else:
            self.scroll_to(y=0 if step < 0 else len(self._rows), animate=False)

    def on_click(self, event: Click) -> None:
        """Chooses the line."""
        at = event.y + self.scroll_offset.y
        if at < len(self._rows) and self._rows[at].key is not None:
            self.move_to(self._rows[at].key)
            self.post_message(self.Clicked(self))

    def on_focus(self, _: Focus) -> None:
        """The cursor looks otherwise."""
        self.refresh()

    def on_blur(self, _: Blur) -> None:
        """The cursor looks otherwise."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the widget."""
        at = y + self.scroll_offset.y
        if at >= len(self._rows):
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        shown = self._rows[at]
        chosen = shown.key is not None and shown.key == self.cursor
        style = self.get_visual_style("lines--cursor") if chosen else self.visual_style
        mark: Part = (self._glyphs.cursor, "key") if chosen and self.has_focus else (" ", "plain")
        parts = [mark, *fit_parts(shown.parts, self._width)]
        strip = Visual.to_strips(self, content(*parts), self._width + 1, 1, style, apply_selection=False, pad=True)[0]
        return strip.crop(0, self.size.width)
