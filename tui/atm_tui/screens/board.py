"""The board: what needs you, what runs, what is done, as cards."""

from collections.abc import Iterable

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from atm_tui.config import Config
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answering import requests_of
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.view import ViewScreen
from atm_tui.view.present import Glyphs, clean, content
from atm_tui.widgets.board_pane import Board

BROKEN = 2
"""Files that can't be read which are named, one a line."""


class BoardScreen(ViewScreen):
    """Shows the fleet as a board."""

    VIEW = "board"

    def __init__(
        self, monitor: Monitor, config: Config, glyphs: Glyphs, arrangement: Arrangement, chosen: str | None
    ) -> None:
        super().__init__(monitor, config, glyphs, arrangement, chosen)
        self.board = Board(monitor.now, glyphs, config.context_thresholds, chosen)
        self._broken = Static(id="board-broken")
        self._holds = False

    def body(self) -> Iterable[Widget]:
        """State files that hold no session, where there are any; the board."""
        return (self._broken, self.board)

    def show_fleet(self, *, hold: bool = True) -> None:
        """Lays the cards of all sessions that the tree shows, too."""
        self._show_broken()
        everyone = self.arrangement.present
        held = self._chosen if hold else None
        shown = [each for each in everyone if self.arrangement.shows(each, held)]
        found = sum(map(self.arrangement.shows, shown))
        self._holds = found < len(shown)
        self.count_found(found, len(everyone))
        pinned = frozenset(key for key, flags in self._fleet.flags.items() if flags.pinned)
        here = frozenset(each.session_id for each in shown if requests_of(self._fleet, each.session_id))
        self.board.show(shown, self._fleet.snoozed, pinned, here, self.arrangement.filter.marks)

    def _show_broken(self) -> None:
        """A file that can't be read may be of a session that needs you: it is said, though it is no card."""
        files = self._fleet.unreadable
        lines = [
            content((f" {self._glyphs.warning} ", "needs"), (clean(each.path.rsplit("/", 1)[-1]), "plain"),
                    ("  unreadable ", "needs"), (clean(each.problem), "muted"))
            for each in files[:BROKEN]
        ]  # fmt: skip
        more = len(files) - len(lines)
        lines += [content((f"   +{more} more", "muted"))] if more else []
        self._broken.display = bool(lines)
        self._broken.update(Content("\n").join(lines))

    def tick(self) -> None:
        """Ages, and caches that grew cold."""
        self.board.tick()

    def pick(self, session_id: str, *, by_user: bool = True) -> None:
        """Selects a session's card."""
        self.board.select(session_id, by_user=by_user)

    @property
    def numbered(self) -> list[str]:
        """The first nine cards in view, column by column."""
        return self.board.numbered

    def on_board_selected(self, message: Board.Selected) -> None:
        """Another card is selected; one that was held is let go."""
        self.choose(message.session_id, by_user=message.by_user)
        if self._holds:
            self.show_fleet()
