"""Shows above the tree which sessions wait."""

from collections.abc import Callable

from atm_tui.model.fleet import Fleet
from atm_tui.view.answerable import list_answerable_sessions
from atm_tui.widgets.fleet_view import FleetView
from atm_tui.widgets.queue import Queue, compute_max_rows
from atm_tui.widgets.tree_view import TreeView


class WaitingController:
    """Shows the queue while the tree is the view."""

    def __init__(
        self,
        queue: Queue,
        tree: TreeView,
        fleet: Fleet,
        find_view: Callable[[], FleetView],
        is_zoomed: Callable[[], bool],
    ) -> None:
        """`is_zoomed`: returns whether a pane has the whole screen."""
        self._queue = queue
        self._tree = tree
        self._fleet = fleet
        self._find_view = find_view
        self._is_zoomed = is_zoomed

    def show(self, *, keeps: bool = True) -> None:
        """Shows the queue. Scrolled rows stay in place on the screen whatever the height of the queue; where nothing is
        scrolled, the queue `keeps` its height.
        """
        if self._find_view() is not self._tree:
            return
        before, tree, size = self._queue.lines, self._tree.session_tree, self._queue.app.size
        keeps = keeps and tree.scroll_offset.y < before
        waiting = self._fleet.list_attention()
        answerable = list_answerable_sessions(self._fleet, (each.session_id for each in waiting))
        is_zoomed = self._is_zoomed()
        most = 0 if is_zoomed else compute_max_rows(size.width, size.height)
        self._queue.show(waiting, most, answerable, keeps=keeps)
        if tree.selected is not None and tree.size.height and not is_zoomed:
            tree.move_top(self._queue.lines - before)
