"""The screen that replaces all others while the terminal is too small for them."""

from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Static

LEAST = Size(30, 8)
"""Smallest terminal that screens and dialogs support, in cells."""


def is_too_small(size: Size) -> bool:
    """Returns whether a terminal of this size (cells) is too small for screens."""
    return size.width < LEAST.width or size.height < LEAST.height


class TooSmallScreen(ModalScreen[None]):
    """Shows how large the terminal has to be; closes by itself once it is."""

    DEFAULT_CSS = "TooSmallScreen { background: $background; overflow: hidden; }"

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,ctrl+c,ctrl+q", "app.quit", show=False)]

    def compose(self) -> ComposeResult:
        """Yields one text."""
        yield Static(Content(f"too small: needs {LEAST.width}x{LEAST.height}. q leaves"))

    def on_screen_resume(self) -> None:
        """Closes if the terminal has grown while a dialog was above."""
        self.app.call_later(cover_small_terminal, self.app)

    def on_resize(self, _: Resize) -> None:
        """Closes if the terminal has grown."""
        self.app.call_later(cover_small_terminal, self.app)


def cover_small_terminal(app: App[Any]) -> None:
    """Covers all screens of an app while its terminal is too small for them, and uncovers them afterwards."""
    top = app.screen
    if isinstance(top, TooSmallScreen):
        if not is_too_small(app.size):
            app.pop_screen()
    elif is_too_small(app.size):
        app.push_screen(TooSmallScreen())
