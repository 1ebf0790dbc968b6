"""Updates the times on the fleet screen; lets those of the tree view go on without the widgets that show them."""

from collections.abc import Callable

from atm_tui.screens.command_screen import CommandScreen
from atm_tui.screens.controllers.panes import PanesController
from atm_tui.screens.controllers.seeing import SeeingController
from atm_tui.screens.frame import Frame
from atm_tui.view.aged_lines import COARSE_STEP
from atm_tui.view.clocks import VisibleClocks
from atm_tui.view.written_screen import WrittenScreen
from atm_tui.widgets.fleet_view import FleetView
from atm_tui.widgets.header import Header
from atm_tui.widgets.queue import Queue
from atm_tui.widgets.tree_view import TreeView


class ClocksController:
    """Keeps the clocks of a screen while nothing else is written: a tick of all widgets takes several times as long."""

    def __init__(
        self,
        screen: CommandScreen,
        written: WrittenScreen,
        header: Header,
        in_tree_view: tuple[TreeView, Queue, PanesController],
        seeing: SeeingController,
        tick_app: Callable[[], None],
    ) -> None:
        """`written`: what the terminal shows; `tick_app`: called with each tick of all."""
        self._screen = screen
        self._written = written
        self._header = header
        self._tree, self._queue, self._panes = self._in_tree_view = in_tree_view
        self._seeing = seeing
        self._tick_app = tick_app

    def advance(self, now: float) -> bool:
        """Writes the kept clocks at `now` (epoch seconds); returns whether that is all that was due."""
        app = self._screen.app
        sequences = None if app._batch_count else self._written.advance_clocks(now)  # noqa: SLF001  as Textual's updates
        if sequences is None:
            return False
        self._panes.look_for_news()
        if sequences:
            app._display(self._screen, Frame(sequences))  # type: ignore[arg-type]  # noqa: SLF001  as Textual's own updates
        return True

    def tick(self, view: FleetView, now: float) -> bool:
        """Updates all times in a view at `now`; returns whether one of them may change within a second."""
        on_tree = view is self._tree
        shown = self._in_tree_view if on_tree else (view,)
        with self._screen.paint_together():
            self._header.tick(now)
            for each in shown:
                each.tick(now)
        self._seeing.tick(now)
        self._tick_app()
        if self._seeing.counts_seconds(now):
            return True
        counts_seconds = any(each.counts_seconds(now) for each in shown)
        if counts_seconds and on_tree:
            self._keep(now)
        return counts_seconds

    def _keep(self, now: float) -> None:
        """Lets the clocks that were written at `now` go on."""
        clocks = VisibleClocks(now, (now // COARSE_STEP + 1) * COARSE_STEP)
        for each in self._in_tree_view:
            each.add_clocks(clocks)
        if self._screen.is_current:
            self._written.keep_clocks(clocks)
