"""The line above the tree with the names of its columns."""

from textual.app import RenderResult
from textual.widget import Widget

from atm_tui.view.columns import Layout, fit_columns, write_headings
from atm_tui.view.present import make_content


class ColumnHeadings(Widget):
    """Uses the same columns as the rows below it, which are as wide."""

    ALLOW_SELECT = False

    def __init__(self, layout: Layout) -> None:
        super().__init__(id="heads")
        self._layout = layout
        self._order = ""

    def show(self, order: str) -> None:
        """Sets the order of the rows, which is shown."""
        if order != self._order:
            self._order = order
            self.refresh()

    def render(self) -> RenderResult:
        """Returns the names of the columns. The last cell is reserved for the scrollbar."""
        return make_content(*write_headings(fit_columns(max(1, self.size.width - 1), self._layout), self._order))
