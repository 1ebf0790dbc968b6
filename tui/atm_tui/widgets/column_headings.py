"""The line above the tree with the names of its columns; a click on one sorts by it."""

from textual.app import RenderResult
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from atm_tui.model.sorting import Order
from atm_tui.view.columns import Columns, Layout, find_column, fit_columns, write_headings
from atm_tui.view.present import make_content

ORDERS = {
    "session": Order.NAME,
    "branch": Order.BRANCH,
    "state": Order.ATTENTION,
    "context": Order.CONTEXT,
    "cost": Order.COST,
    "for": Order.AGE,
}
"""By column: the order that a click on its heading chooses."""


class ColumnHeadings(Widget):
    """Uses the same columns as the rows below it, which are as wide."""

    ALLOW_SELECT = False

    def __init__(self, layout: Layout) -> None:
        super().__init__(id="heads")
        self._layout = layout
        self._order = ""

    class Clicked(Message):
        """A heading was clicked: the rows are wanted in this order or, if they are, in the reverse."""

        def __init__(self, order: Order) -> None:
            super().__init__()
            self.order = order

    def show(self, order: str) -> None:
        """Sets the order of the rows, which is shown."""
        if order != self._order:
            self._order = order
            self.refresh()

    def render(self) -> RenderResult:
        """Returns the names of the columns. The last cell is reserved for the scrollbar."""
        return make_content(*write_headings(self._columns, self._order))

    @property
    def _columns(self) -> Columns:
        return fit_columns(max(1, self.size.width - 1), self._layout)

    def on_click(self, event: Click) -> None:
        """Reports which heading was clicked."""
        self.post_message(self.Clicked(ORDERS[find_column(self._columns, event.x)]))
