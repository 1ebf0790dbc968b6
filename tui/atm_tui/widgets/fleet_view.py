"""A view of the fleet: tree, board, timeline or history. The screen shows one of them at a time."""

from typing import ClassVar

from textual.containers import Vertical
from textual.errors import NoWidget
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.view.command import Selection
from atm_tui.view.row import RowId


def is_in_view(widget: Widget, part: Region) -> bool:
    """Whether each cell of `part` (in cells from the widget's top left on the screen) shows this widget."""
    if not widget.is_attached or part.area == 0:
        return False
    screen = widget.screen
    at = part.translate(widget.region.offset)
    try:
        return all(
            screen.get_widget_at(x, y)[0] is widget for y in range(at.y, at.bottom) for x in range(at.x, at.right)
        )
    except NoWidget:
        return False


class FleetView(Vertical):
    """The screen calls four methods: `show`, `select`, `numbered` and `shows_whole`; and reads what is selected.

    A row is named by its id as in the tree; the other views know only ("session", id).
    """

    VIEW: ClassVar[str]
    """The id of the command that opens it."""

    class Selected(Message):
        """Another row is selected, or none. `by_user`: a key or click did it."""

        def __init__(self, *, by_user: bool) -> None:
            super().__init__()
            self.by_user = by_user

    class Counted(Message):
        """The filter lets `found` of `of` sessions or events through."""

        def __init__(self, found: int, of: int) -> None:
            super().__init__()
            self.found = found
            self.of = of

    def show(self, fleet: Fleet, *, hold: bool = True) -> None:
        """Shows the fleet as it is now. `hold`: the selected session stays, though the filter lets it through no more."""
        raise NotImplementedError

    def select(self, key: RowId, *, by_user: bool = False) -> None:
        """Selects a row; one that is not listed changes nothing."""
        raise NotImplementedError

    def find_numbered(self, number: int) -> RowId | None:
        """The row that the key `number` (1 to 9) selects: the sessions on the screen are counted from the top."""
        raise NotImplementedError

    def shows_whole(self, request: Request) -> bool:
        """Whether all of a request can be read in this view now: nothing of it is cut, scrolled away or covered."""
        raise NotImplementedError

    @property
    def key(self) -> RowId | None:
        """The id of the selected row."""
        raise NotImplementedError

    @property
    def selection(self) -> Selection:
        """What is selected, for the commands."""
        raise NotImplementedError

    @property
    def list_widget(self) -> Widget:
        """What has the focus while this view is shown."""
        raise NotImplementedError

    def can_list(self, session_id: str) -> bool:  # noqa: ARG002 (of some views)
        """Whether a session of this id belongs on this view, whatever the filter lets through."""
        return True

    def tick(self) -> None:
        """A second went by."""


def find_session_of_key(key: RowId | None) -> str | None:
    """The id of the session that a row belongs to; None for a row of several."""
    return key[1] if key and key[0] in {"session", "agent", "done"} else None
