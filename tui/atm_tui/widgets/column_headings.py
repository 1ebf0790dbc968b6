"""The line above the tree that names its columns."""

from textual.events import Resize
from textual.widgets import Static

from atm_tui.view.columns import columns, heads
from atm_tui.view.present import content


class ColumnHeadings(Static):
    """Lays itself out by the same columns as the rows below it; both are equally wide."""

    ALLOW_SELECT = False
    _order = ""

    def show(self, order: str) -> None:
        """Names the order that the rows are in."""
        if order != self._order:
            self._order = order
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Lays the names out anew."""
        self._paint()

    def _paint(self) -> None:
        # The last cell is the scrollbar's, whether it is there or not.
        if self.size.width > 1:
            self.update(content(*heads(columns(self.size.width - 1), self._order)), layout=False)
