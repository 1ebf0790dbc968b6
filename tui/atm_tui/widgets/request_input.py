"""The input line of the request dialog for a reason or an answer; hidden while not in use."""

from atm_tui.widgets.typed_input import TypedInput


class RequestInput(TypedInput):
    """An input, shown by `open` and hidden by `close`."""

    def __init__(self, longest: int) -> None:
        """`longest`: largest number of characters."""
        super().__init__(id="request-line", max_length=longest, compact=True, disabled=True)

    def on_mount(self) -> None:
        """Hides the input until it is opened."""
        self.display = False

    def open(self, placeholder: str, text: str = "") -> None:
        """Shows the input with `text` in it, and focuses it."""
        self.value, self.placeholder = text, placeholder
        self.disabled, self.display = False, True
        self.focus()

    def close(self) -> None:
        """Hides the input; nothing has the focus then."""
        if self.display:
            self.disabled, self.display = True, False
            self.screen.set_focus(None)
