"""The lists of the usage screen: a text that reports where it was clicked."""

from textual.events import Click
from textual.message import Message
from textual.widgets import Static


class UsageLists(Static):
    """Shows the lists."""

    class Clicked(Message):
        """A cell was clicked."""

        def __init__(self, x: int, y: int) -> None:
            super().__init__()
            self.x, self.y = x, y

    def __init__(self) -> None:
        super().__init__(id="usage-tables")

    def on_click(self, event: Click) -> None:
        """Reports the cell."""
        event.stop()
        self.post_message(self.Clicked(event.x, event.y))
