"""The base of the views of the fleet: tree, board, timeline and history. The screen shows one at a time."""

from collections.abc import Iterable
from typing import ClassVar

from textual.containers import Vertical
from textual.errors import NoWidget
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from atm_tui.model.filter import Tried, try_sessions
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.view.command import Selection
from atm_tui.view.row import RowId
from atm_tui.widgets.ends_workers_first import EndsWorkersFirst


def is_in_view(widget: Widget, part: Region) -> bool:
    """Returns whether all of `part` (cells from the widget's top left) is on the screen and not covered."""
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


class FleetView(EndsWorkersFirst, Vertical):
    """The screen calls four methods: `show`, `select`, `list_numbered` and `shows_whole`; and reads what is selected.

    A row has the id that it has in the tree; the other views know only ("session", id).
    """

    VIEW: ClassVar[str]
    """Id of the command that opens it."""

    class Selected(Message):
        """Another row was selected, or none. `by_user`: by a key or click."""

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
        """Updates the view. `hold`: the selected session stays even if the filter no longer lets it through."""
        raise NotImplementedError

    def select(self, key: RowId, *, by_user: bool = False) -> None:
        """Selects a row; does nothing if it is not listed."""
        raise NotImplementedError

    def list_numbered(self) -> list[RowId]:
        """Returns the rows that the keys 1 to 9 select: the first sessions on the screen, from the top."""
        raise NotImplementedError

    def shows_whole(self, request: Request) -> bool:
        """Returns whether all of a request is visible in this view: no part is cut, scrolled away or covered."""
        raise NotImplementedError

    def list_tried(self, sessions: Iterable[Session]) -> list[Tried]:
        """Returns for each entry that the filter may hide what tries a term on it. `sessions`: all that are not dismissed."""
        return try_sessions(sessions)

    def take_over(self, other: "FleetView") -> None:
        """Goes on with what another view of this kind knows, before it is shown."""

    @property
    def key(self) -> RowId | None:
        """The id of the selected row."""
        raise NotImplementedError

    @property
    def selection(self) -> Selection:
        """What commands act on."""
        raise NotImplementedError

    @property
    def list_widget(self) -> Widget:
        """The widget that has the focus while this view is shown."""
        raise NotImplementedError

    def can_list(self, session_id: str) -> bool:  # noqa: ARG002 (of some views)
        """Returns whether a session belongs to this view, regardless of the filter."""
        return True

    def tick(self, now: float) -> None:
        """Called with each tick: updates ages at `now` (epoch seconds)."""

    def counts_seconds(self, now: float) -> bool:  # noqa: ARG002 (of some views)
        """Returns whether something may change within a second."""
        return True

    @property
    def may_move(self) -> bool:
        """Whether the next `tick` may move rows."""
        return True


def find_session_of_key(key: RowId | None) -> str | None:
    """Returns the id of the session that a row belongs to; None for a row of several sessions."""
    return key[1] if key and key[0] in {"session", "agent", "done"} else None
