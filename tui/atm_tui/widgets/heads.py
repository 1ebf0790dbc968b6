"""The line above the tree that names its columns."""

from textual.events import Resize
from textual.widgets import Static

from atm_tui.present import content
from atm_tui.widgets.columns import columns, heads


class Heads(Static):
    """Lays itself out by the same columns as the rows below it; both are equally wide."""

    ALLOW_SELECT = False

    def on_resize(self, _: Resize) -> None:
        """Lays the names out anew."""
        # The last cell is the scrollbar's, whether it is there or not.
        if self.size.width > 1:
            self.update(content(*heads(columns(self.size.width - 1))), layout=False)
