"""The board: what needs you, what runs, what is done, as cards."""

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from atm_tui.config import Config
from atm_tui.monitor import Monitor
from atm_tui.present import Glyphs, clean, content
from atm_tui.screens.main import MainScreen
from atm_tui.screens.view import ViewScreen
from atm_tui.widgets.board_pane import Board


class BoardScreen(ViewScreen):
    """Shows the fleet as a board."""

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, chosen: str | None) -> None:
        super().__init__(monitor, config, glyphs, chosen)
        self._filter = Static(id="board-filter")
        self.board = Board(monitor.now, glyphs, config.context_thresholds, chosen)

    def body(self) -> Widget:
        """The board."""
        return self.board

    def compose(self) -> ComposeResult:
        """Header, the filter where there is one, board, footer."""
        yield self._header
        yield self._filter
        yield self.board
        yield self._footer

    def show_fleet(self) -> None:
        """Lays the cards of all sessions that the tree shows, too."""
        main = self.app.screen_stack[0]
        everyone = list(self._fleet.sessions.values())
        shown = [each for each in everyone if not isinstance(main, MainScreen) or main.arrangement.shows(each)]
        text = main.arrangement.filter.text if isinstance(main, MainScreen) else ""
        self._filter.display = bool(text)
        found = f"{len(shown)} of {len(everyone)}"
        self._filter.update(content((" / ", "key"), (clean(text), "plain"), (f"   {found}", "muted")), layout=False)
        self.board.show(shown, self._fleet.snoozed)

    def tick(self) -> None:
        """Ages, and caches that grew cold."""
        self.board.tick()

    def go_to(self, session_id: str) -> None:
        """Selects a session's card."""
        self.board.select(session_id)

    def on_board_selected(self, message: Board.Selected) -> None:
        """Another card is selected."""
        self.choose(message.session_id, by_user=message.by_user)
