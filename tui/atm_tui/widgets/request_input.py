"""The line of the request dialog in which a reason or an answer is written; hidden while nothing is."""

from textual.widgets import Input


class RequestInput(Input):
    """Shown by `open`, hidden by `close`."""

    def __init__(self, longest: int) -> None:
        """`longest`: characters that are accepted."""
        super().__init__(id="request-line", max_length=longest, compact=True, disabled=True)

    def on_mount(self) -> None:
        """Hides the line until it is opened."""
        self.display = False

    def open(self, placeholder: str, text: str = "") -> None:
        """Shows the line with `text` in it, and gives it the focus."""
        self.value, self.placeholder = text, placeholder
        self.disabled, self.display = False, True
        self.focus()

    def close(self) -> None:
        """Hides the line; nothing has the focus then."""
        if self.display:
            self.disabled, self.display = True, False
            self.screen.set_focus(None)
