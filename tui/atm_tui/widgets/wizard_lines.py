"""The widget for the lists, details and the diff of the install wizard."""

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.events import Click, Resize
from textual.message import Message

from atm_tui import commands
from atm_tui.view.list_line import ListLine, WriteLines, write_nothing
from atm_tui.view.present import Glyphs, Part, fit_parts
from atm_tui.widgets.line_list import LineList


class WizardLines(LineList[ListLine, Hashable]):
    """Lines that are written for the current width. The first cell of each is the cursor's."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_motion_bindings()]

    class Moved(Message):
        """Another line is under the cursor."""

        def __init__(self, lines: "WizardLines") -> None:
            super().__init__()
            self.lines = lines

        @property
        def control(self) -> "WizardLines":
            """The list that sent the message."""
            return self.lines

    class Clicked(Moved):
        """A line was clicked and is under the cursor now."""

    def __init__(
        self,
        glyphs: Glyphs,
        id: str,  # noqa: A002 (textual's name)
        most: int | None = None,
        widest: int | None = None,
    ) -> None:
        """`most`: largest height in lines; None: the height of the style sheet. `widest`: largest width of the text in cells."""
        super().__init__(id=id)
        self._most = most
        self._widest = widest
        self._glyphs = glyphs
        self._write: WriteLines = write_nothing
        self._written_for = 0

    @property
    def rows(self) -> Sequence[ListLine]:
        """The lines as written for the current width."""
        return self._lines

    @property
    def cursor(self) -> Hashable:
        """Key of the line under the cursor; None: there is no such line."""
        return self._cursor

    def show(self, write: WriteLines, *, top: bool = False) -> None:
        """Replaces the lines; the cursor stays on its key if it is still there. `top`: scrolls to the first line."""
        self._write = write
        self._write_all()
        if top:
            self.scroll_home(animate=False)

    def on_resize(self, _: Resize) -> None:
        """Writes its lines for the new width."""
        if self._text_width != self._written_for:
            self._write_all()

    @property
    def _text_width(self) -> int:
        """Width of the text of a line in cells: all but the cursor's cell, up to the largest width."""
        width = max(1, self.line_width - 1)
        return width if self._widest is None else min(width, self._widest)

    def _write_all(self) -> None:
        self._written_for = self._text_width
        if self.outer_size.width < 3:
            return
        lines = self._write(self._written_for)
        if self._most is not None:
            self.styles.height = max(1, min(len(lines), self._most))
        self.set_lines(lines)

    def move_to(self, key: Hashable) -> None:
        """Moves the cursor to the line of a key."""
        self.put_cursor(key, by_user=False)

    def get_key(self, line: ListLine) -> Hashable:
        """Returns the key of a line."""
        return line.key

    def replace_cursor(self, old: Sequence[ListLine], was: int | None) -> Hashable:  # noqa: ARG002 (the base's names)
        """Returns the first key that can be selected."""
        return next(iter(self._index), None)

    def find_region(self, at: int) -> tuple[int, int]:
        """Returns a line; for the first one that can be selected, with the lines above it."""
        is_first = at == min(self._index.values(), default=None)
        return (0 if is_first and at < self.page else at), at

    def get_line_state(self, at: int) -> tuple[ListLine, bool, bool]:
        """Returns a line, and whether it shows the cursor."""
        return self._lines[at], at == self.cursor_at, self.has_focus

    def write_line(self, at: int) -> Sequence[Part]:
        """Returns the cursor's cell and the text of a line."""
        mark: Part = (self._glyphs.cursor, "key") if at == self.cursor_at and self.has_focus else (" ", "plain")
        return [mark, *fit_parts(self._lines[at].parts, self._text_width)]

    def report_cursor(self, *, by_user: bool) -> None:  # noqa: ARG002 (the base's name)
        """Reports that another line is under the cursor."""
        self.post_message(self.Moved(self))

    def click_line(self, at: int, event: Click) -> None:
        """Selects a line, and reports the click."""
        super().click_line(at, event)
        if self.get_key(self._lines[at]) is not None:
            self.post_message(self.Clicked(self))
