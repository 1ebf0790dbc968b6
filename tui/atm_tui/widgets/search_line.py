"""The line in which the text to search is typed, with the number of matches."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from atm_tui.view.present import make_content
from atm_tui.widgets.typed_input import LeavingInput


class SearchLine(Horizontal):
    """Reports each change while typing; Enter keeps the search, Escape ends it."""

    class Changed(Message):
        """The text changed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Kept(Message):
        """Enter was pressed."""

    class Ended(Message):
        """Escape was pressed."""

    def __init__(self, leave: Callable[[], None]) -> None:
        """`leave` gives the focus to what is searched."""
        super().__init__(id="search")
        self._input = LeavingInput(leave, placeholder="what to find", compact=True)
        self._count = Static(id="search-count")

    def compose(self) -> ComposeResult:
        """Yields sign, input and count."""
        yield Static(make_content((" / ", "key")), id="search-sign")
        yield self._input
        yield self._count

    def open(self) -> None:
        """Shows the line, and takes the focus."""
        self.display = True
        self.screen.set_focus(self._input)

    @property
    def is_typing(self) -> bool:
        """Whether keys are typed here."""
        return self._input.has_focus

    def show_count(self, text: str, *, none: bool = False) -> None:
        """Shows how many matches there are."""
        self._count.update(make_content((f" {text} ", "needs" if none else "muted")))

    def clear(self) -> None:
        """Empties and hides the line."""
        with self.prevent(Input.Changed):
            self._input.value = ""
        self.display = False

    def on_input_changed(self, event: Input.Changed) -> None:
        """Reports the changed text."""
        event.stop()
        self.post_message(self.Changed(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Reports that the search is kept."""
        event.stop()
        self.post_message(self.Kept())

    def on_leaving_input_given_up(self, event: LeavingInput.GivenUp) -> None:
        """Reports that the search is ended."""
        event.stop()
        self.post_message(self.Ended())
