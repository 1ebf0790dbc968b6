"""The line above the tree that names its columns."""

from textual.app import RenderResult
from textual.widget import Widget

from atm_tui.view.columns import fit_columns, write_headings
from atm_tui.view.present import make_content


class ColumnHeadings(Widget):
    """Lays itself out by the same columns as the rows below it, whenever it is painted; both are equally wide."""

    ALLOW_SELECT = False
    _order = ""

    def show(self, order: str) -> None:
        """Takes the order of the rows."""
        if order != self._order:
            self._order = order
            self.refresh()

    def render(self) -> RenderResult:
        """The names of the columns. The last cell is the scrollbar's, whether it is there or not."""
        return make_content(*write_headings(fit_columns(max(1, self.size.width - 1)), self._order))
