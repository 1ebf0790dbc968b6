"""A box with a title and one text, which scrolls when it is higher than the box."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.widgets import Static


class TextBox(VerticalScroll):
    """Shows lines; its border holds a title and, below, the keys that close it."""

    def __init__(self, title: str, keys: str, *, name: str, can_focus: bool = True) -> None:
        """`name`: the id for the style sheet."""
        super().__init__(id=name, can_focus=can_focus)
        self._titles = (title, keys)
        self._text = Static()

    def compose(self) -> ComposeResult:
        """Yields the text."""
        yield self._text

    def on_mount(self) -> None:
        """Sets the titles."""
        self.border_title, self.border_subtitle = self._titles

    def show_lines(self, lines: Iterable[Content]) -> None:
        """Replaces the text."""
        self._text.update(Content("\n").join(lines))

    def find_line(self, event: Click) -> int | None:
        """Returns the number of the clicked line, from 0 on; None if the click was beside the text."""
        offset = event.get_content_offset(self._text) if event.widget is self._text else None
        return None if offset is None else offset.y
