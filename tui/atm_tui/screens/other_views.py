"""Makes what the fleet screen does not always start with: other views, and the bar of a replay.

Each is imported when first needed, to keep the start short.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.monitor.protocol import Monitor
from atm_tui.view.clocks import round_down
from atm_tui.view.present import Glyphs
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.widgets.fleet_view import FleetView

if TYPE_CHECKING:
    from atm_tui.screens.controllers.replaying import ReplayController


def make_view(name: str, monitor: Monitor, sessions: VisibleSessions, config: Config, glyphs: Glyphs) -> FleetView:
    """Returns a new board, timeline or history, which shows `sessions` of `monitor`. Raises KeyError for another name."""
    match name:
        case "board":
            from atm_tui.widgets.board_view import BoardView  # noqa: PLC0415

            return BoardView(monitor.fleet, sessions, round_down(monitor.now), config, glyphs)
        case "timeline":
            from atm_tui.widgets.timeline_view import TimelineView  # noqa: PLC0415

            return TimelineView(monitor, sessions, glyphs)
        case "history":
            from atm_tui.widgets.history_view import HistoryView  # noqa: PLC0415

            return HistoryView(monitor, sessions, glyphs)
    raise KeyError(f"{name}: no view of {', '.join(commands.VIEWS)}")


def make_replay(
    monitor: Monitor, glyphs: Glyphs, show: Callable[[], None], name_keys: Callable[[], None]
) -> "ReplayController | None":
    """Returns the controller of a recording's playback; None for live sessions.

    `show` shows the fleet at another time; `name_keys` says what the keys do now.
    """
    if (recording := monitor.capabilities.recording) is None:
        return None
    from atm_tui.screens.controllers.replaying import ReplayController  # noqa: PLC0415

    return ReplayController(recording, glyphs, show, name_keys)
