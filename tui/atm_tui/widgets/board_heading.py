"""The line above a column of the board: title, number of sessions and, where only one column is shown, the other columns."""

from textual.app import RenderResult
from textual.widget import Widget

from atm_tui.view.present import Part, make_content, spread

SHORT = 28
"""Width in cells below which words are left out."""


class BoardHeading(Widget):
    """Fits its text to its width when it is rendered."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(classes="board-head")
        self._parts: tuple[list[Part], list[Part], list[Part]] = ([], [], [])

    def show(self, full: list[Part], short: list[Part], others: list[Part]) -> None:
        """Sets the title with its counts, in full and in short, and the parts at the right end."""
        if (full, short, others) != self._parts:
            self._parts = (full, short, others)
            self.refresh()

    def render(self) -> RenderResult:
        """Returns the line."""
        full, short, others = self._parts
        width = max(1, self.size.width - 2)
        return make_content((" ", "plain"), *spread(short if width < SHORT else full, others, width))
