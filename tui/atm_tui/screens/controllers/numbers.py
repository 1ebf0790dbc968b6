"""The rows that the keys 1 to 9 select: those whose numbers are on the screen, even if newer rows are not rendered yet."""

from collections.abc import Callable

from atm_tui.screens.command_screen import CommandScreen
from atm_tui.view.row import RowId
from atm_tui.widgets.fleet_view import FleetView


class RowNumbers:
    """The rows by their numbers; the numbers of a frame are valid until the next one."""

    def __init__(self, screen: CommandScreen, find_view: Callable[[], FleetView]) -> None:
        self._screen = screen
        self._find_view = find_view
        self._painted: list[RowId] | None = None
        """The numbered rows on the screen until the next frame."""

    def hold(self) -> None:
        """Keeps the current numbers until the caller's changes are rendered."""
        if self._painted is None:
            self._painted = self._find_view().list_numbered()
            self._screen.call_after_refresh(self._release)

    def _release(self) -> None:
        self._painted = None

    def select(self, key: str) -> None:
        """Selects the session that has this number on the screen."""
        rows = self._find_view().list_numbered() if self._painted is None else self._painted
        if int(key) <= len(rows):
            self._find_view().select(rows[int(key) - 1], by_user=True)
        else:
            self._screen.show_message(f"select: there are {len(rows)} sessions on the screen", trouble=True)
