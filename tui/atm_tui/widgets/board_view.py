"""The board and, above it, the unreadable state files."""

from collections.abc import Callable
from itertools import chain

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from atm_tui.config import Config
from atm_tui.model.board import is_active
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.text import clean
from atm_tui.view.answerable import list_answerable_sessions
from atm_tui.view.command import Selection, get_work_folder
from atm_tui.view.present import Glyphs, make_content
from atm_tui.view.row import RowId
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.widgets.board_pane import Board
from atm_tui.widgets.fleet_view import FleetView, find_session_of_key

NAMED = 2
"""Most unreadable files that are listed."""


class BoardView(FleetView):
    """Shows the sessions of the tree as cards."""

    VIEW = "board"

    def __init__(
        self, fleet: Fleet, visible: VisibleSessions, now: Callable[[], float], config: Config, glyphs: Glyphs
    ) -> None:
        super().__init__(id="board-view")
        self._fleet = fleet
        self._visible = visible
        self._glyphs = glyphs
        self._has_held = False
        self.board = Board(now, glyphs, config.context_thresholds)
        self._unreadable = Static(id="board-broken")

    def compose(self) -> ComposeResult:
        """Yields the unreadable files and the board."""
        yield self._unreadable
        yield self.board

    def on_hide(self) -> None:
        """Lets the selected card move to its sorted place: another view is shown."""
        self.board.release()

    def show(self, fleet: Fleet, *, hold: bool = True) -> None:
        """Updates the cards."""
        self._show_unreadable(fleet)
        everyone = self._visible.not_dismissed
        held = self.board.selected if hold else None
        shown = [each for each in everyone if self._visible.is_listed(each, held)]
        found = sum(map(self._visible.is_listed, shown))
        self._has_held = found < len(shown)
        pinned = frozenset(key for key, flags in fleet.flags.items() if flags.pinned)
        answerable = list_answerable_sessions(fleet, (each.session_id for each in shown))
        self.board.show(shown, fleet.snoozed, pinned, answerable, self._visible.filter.marks, self._visible.marked)
        self.post_message(self.Counted(found, len(everyone)))

    def _show_unreadable(self, fleet: Fleet) -> None:
        """Lists the unreadable files, each of which may hide a session that needs you."""
        files = fleet.unreadable
        lines = [
            make_content((f" {self._glyphs.warning} ", "needs"), (clean(each.path.rsplit("/", 1)[-1]), "plain"),
                    ("  unreadable ", "needs"), (clean(each.problem), "muted"))
            for each in files[:NAMED]
        ]  # fmt: skip
        more = len(files) - len(lines)
        lines += [make_content((f"   +{more} more", "muted"))] if more else []
        self._unreadable.display = bool(lines)
        self._unreadable.update(Content("\n").join(lines))

    def tick(self, _: float) -> None:
        """Updates ages and cache times."""
        self.board.tick()

    def counts_seconds(self, _: float) -> bool:
        """Returns whether the age on a card may be shown in seconds."""
        return any(map(is_active, chain(*self.board.columns)))

    # What is selected

    def on_board_selected(self, message: Board.Selected) -> None:
        """Reports the selection; stops holding the card that was selected before."""
        message.stop()
        self.post_message(self.Selected(by_user=message.by_user))
        if self._has_held:
            self.show(self._fleet)

    @property
    def key(self) -> RowId | None:
        """The selected card as the id of a row."""
        return ("session", self.board.selected) if self.board.selected else None

    @property
    def list_widget(self) -> Widget:
        """The board."""
        return self.board

    @property
    def selection(self) -> Selection:
        """The selected session."""
        session = self._fleet.sessions.get(self.board.selected or "")
        empty = not self._fleet.sessions
        if session is None:
            return Selection(empty=empty, view=self.VIEW)
        return Selection("session", session, get_work_folder(session), empty=empty, view=self.VIEW)

    def select(self, key: RowId, *, by_user: bool = False) -> None:
        """Selects a session's card."""
        if session_id := find_session_of_key(key):
            self.board.select(session_id, by_user=by_user)

    def list_numbered(self) -> list[RowId]:
        """Returns the sessions in view, column by column."""
        return [("session", session_id) for session_id in self.board.numbered_ids]

    def shows_whole(self, request: Request) -> bool:
        """Returns whether the selected card shows all of the request, uncut."""
        return request.session_id == self.board.selected and self.board.shows_whole(request)
