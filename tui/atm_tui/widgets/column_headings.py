"""The line above the tree with the names of its columns; a click on one sorts by it."""

import re

from textual.app import RenderResult
from textual.events import Click
from textual.message import Message
from textual.widget import Widget

from atm_tui.model.sorting import Order
from atm_tui.view.columns import Layout, fit_columns, write_headings
from atm_tui.view.present import make_content

ORDERS = {
    "SESSION": Order.NAME,
    "BRANCH": Order.BRANCH,
    "STATE": Order.ATTENTION,
    "CTX": Order.CONTEXT,
    "COST": Order.COST,
    "FOR": Order.AGE,
}
"""The order that a click on a heading chooses."""


def find_heading(line: str, x: int) -> str:
    """Returns the heading nearest to a cell of the line; empty if there is none."""
    found = list(re.finditer(r"[A-Z]{2,}", line))
    nearest = min(found, key=lambda each: max(each.start() - x, x - each.end() + 1, 0), default=None)
    return nearest[0] if nearest else ""


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
        return make_content(*self._write())

    def _write(self) -> list[tuple[str, str]]:
        return write_headings(fit_columns(max(1, self.size.width - 1), self._layout), self._order)

    def on_click(self, event: Click) -> None:
        """Reports which heading was clicked."""
        order = ORDERS.get(find_heading("".join(text for text, _ in self._write()), event.x))
        if order is not None:
            self.post_message(self.Clicked(order))
