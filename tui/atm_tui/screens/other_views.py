"""Makes the views that the fleet screen does not start with. Each is imported when first needed, to keep the start short."""

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.monitor.protocol import Monitor
from atm_tui.view.present import Glyphs
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.widgets.fleet_view import FleetView


def make_view(name: str, monitor: Monitor, sessions: VisibleSessions, config: Config, glyphs: Glyphs) -> FleetView:
    """Returns a new board, timeline or history, which shows `sessions` of `monitor`. Raises KeyError for another name."""
    match name:
        case "board":
            from atm_tui.widgets.board_view import BoardView  # noqa: PLC0415

            return BoardView(monitor.fleet, sessions, monitor.now, config, glyphs)
        case "timeline":
            from atm_tui.widgets.timeline_view import TimelineView  # noqa: PLC0415

            return TimelineView(monitor, sessions, glyphs)
        case "history":
            from atm_tui.widgets.history_view import HistoryView  # noqa: PLC0415

            return HistoryView(monitor, sessions, glyphs)
    raise KeyError(f"{name}: no view of {', '.join(commands.VIEWS)}")
