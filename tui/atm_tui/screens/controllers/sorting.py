"""The order of the rows, by key, by a click on a heading, or by name."""

from collections.abc import Callable

from atm_tui.model.sorting import Order
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.view.visible_sessions import VisibleSessions


class SortController:
    """Ranks the sessions anew whenever the user changes the order."""

    def __init__(self, screen: CommandScreen, visible: VisibleSessions, show: Callable[[], None]) -> None:
        """`show` shows the rows in their new order."""
        self._screen = screen
        self._visible = visible
        self._show = show
        self.handlers: Handlers = {"sort": self.choose_next, "reverse": self.reverse}

    def choose_next(self) -> None:
        """Switches to the next order."""
        self._set(self._visible.order.next, is_reversed=False)

    def reverse(self) -> None:
        """Reverses the order."""
        self._set(self._visible.order, is_reversed=not self._visible.is_reversed)

    def choose(self, order: Order) -> None:
        """Switches to an order or, if it is the current one, reverses it."""
        same = order is self._visible.order
        self._set(order, is_reversed=same and not self._visible.is_reversed)

    def _set(self, order: Order, *, is_reversed: bool) -> None:
        self._visible.order, self._visible.is_reversed = order, is_reversed
        self._visible.rank()
        self._show()
        self._screen.show_message(f"sorted by {order.value}{', reversed' if is_reversed else ''}")
