"""The board: what needs you, what runs, what is done, as cards."""

from textual.widget import Widget

from atm_tui.config import Config
from atm_tui.monitor import Monitor
from atm_tui.present import Glyphs
from atm_tui.screens.view import ViewScreen
from atm_tui.widgets.board_pane import Board


class BoardScreen(ViewScreen):
    """Shows the fleet as a board."""

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, chosen: str | None) -> None:
        super().__init__(monitor, config, glyphs, chosen)
        self.board = Board(monitor.now, glyphs, config.context_thresholds, chosen)

    def body(self) -> Widget:
        """The board."""
        return self.board

    def show_fleet(self) -> None:
        """Lays the cards."""
        self.board.show(self._fleet.sessions.values())

    def tick(self) -> None:
        """Ages, and caches that grew cold."""
        self.board.tick()

    def go_to(self, session_id: str) -> None:
        """Selects a session's card."""
        self.board.select(session_id)

    def on_board_selected(self, message: Board.Selected) -> None:
        """Another card is selected."""
        self.choose(message.session_id, by_user=message.by_user)
