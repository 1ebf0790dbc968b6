"""A box that lists what can be copied of a session, each with its key."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.widgets import Static

from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.text import clean, cut_width, fit_width
from atm_tui.view.copy_choices import CopyChoice
from atm_tui.view.present import Glyphs, make_content

WIDTH = 74
"""Largest width of the box in cells; the same as in the style sheet."""
FRAME = 6
"""Cells of border and padding."""


class CopyScreen(DialogScreen[CopyChoice | None]):
    """Dismissed with a choice that has a text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"choose('{key}')") for key in "yfrwlt"),
        Binding("enter", "choose('y')"),
        Binding("escape,q,space", "choose('')"),
    ]

    def __init__(
        self, name: str, choices: Sequence[CopyChoice], look_up: Callable[[], Sequence[CopyChoice]], glyphs: Glyphs
    ) -> None:
        """`name`: of the session; `choices`: what is known at once; `look_up` returns all of them, and may take its time."""
        super().__init__()
        self._title = name
        self._choices = choices
        self._look_up = look_up
        self._is_complete = False
        self._early = ""
        """The key of a choice that was pressed before its text was known."""
        self._glyphs = glyphs
        self._text = Static(id="copy-menu")
        self._text.auto_links = False

    def compose(self) -> ComposeResult:
        """Yields the text."""
        yield self._text

    def on_mount(self) -> None:
        """Sets the titles."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._text.border_title = Content(f"Copy of {clean(self._title)}")
        self._text.border_subtitle = "Esc closes"
        self.run_worker(self._complete(), group="look up")

    async def _complete(self) -> None:
        self._choices, self._is_complete = await asyncio.to_thread(self._look_up), True
        self._paint()
        if self._early:
            self.action_choose(self._early)

    def on_resize(self, _: Resize) -> None:
        """Cuts the lines for the new width."""
        self._paint()

    def _paint(self) -> None:
        width = max(10, min(self.size.width, WIDTH) - FRAME)
        self._text.update(Content("\n").join(self._write_line(each, width) for each in self._choices))

    def _write_line(self, choice: CopyChoice, width: int) -> Content:
        able = bool(choice.text)
        title = min(max(len(each.title) for each in self._choices), width // 2)
        note = cut_width(clean(choice.text or choice.missing), max(0, width - title - 5))
        line = make_content(
            (f"{choice.key}  ", "key" if able else "faint"),
            (fit_width(choice.title, title), "plain" if able else "faint"),
            (f"  {note}", "muted" if able else "faint"),
        )
        return line.add_spans([Span(0, len(line), Style.from_meta({"@click": f"screen.choose('{choice.key}')"}))])

    def action_choose(self, key: str) -> None:
        """Closes with the choice of a key, or with None if the key has none; does nothing if there is nothing to copy."""
        choice = next((each for each in self._choices if each.key == key), None)
        if choice is None or choice.text:
            self.dismiss(choice)
        elif not self._is_complete:
            self._early = key
