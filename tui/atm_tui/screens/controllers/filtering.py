"""The filter: its input line, its text, and the selection while it changes."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.widget import Widget

from atm_tui.messages import ToggleHidden
from atm_tui.model.filter import NO_FILTER, Filter, parse_filter
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.view.present import describe_row
from atm_tui.view.row import RowId
from atm_tui.view.visible_sessions import VisibleSessions

if TYPE_CHECKING:
    from atm_tui.widgets.filter_line import FilterLine

FILTERING = "-filtering"
"""The class of a screen while the filter line is shown."""


class FilterController:
    """Shows the input line of the filter; Enter keeps the filter, Escape clears it."""

    def __init__(
        self,
        screen: CommandScreen,
        visible: VisibleSessions,
        below: Widget,
        selected: Callable[[], RowId | None],
        apply: Callable[[RowId | None], None],
    ) -> None:
        """The line is shown above the widget `below`. `selected` returns the selected row; `apply` shows the sessions listed
        now, and selects the given row if it is listed.
        """
        self._screen = screen
        self._visible = visible
        self._below = below
        self._selected = selected
        self._apply = apply
        self._line: FilterLine | None = None
        self._before: RowId | None = None
        """What was selected when the line was opened."""
        self.handlers: Handlers = {"filter": self.open, "hide": self.toggle_hidden}

    @property
    def is_shown(self) -> bool:
        """Whether the line is shown."""
        return self._screen.has_class(FILTERING)

    @property
    def is_typing(self) -> bool:
        """Whether the line has the focus."""
        return self._line is not None and self._line.has_focus_within

    def show_count(self, found: int, of: int) -> None:
        """Shows how many of all sessions the filter lets through."""
        if self._line is not None:
            self._line.show_count(found, of)

    async def open(self) -> None:
        """Opens the input line."""
        if self._line is None:
            # Imported when first needed, to keep the start short.
            from atm_tui.widgets.filter_line import FilterLine  # noqa: PLC0415

            self._line = FilterLine()
            await self._screen.mount(self._line, before=self._below)
        if not self.is_shown:
            self._before = self._selected()
            self._screen.add_class(FILTERING)
            self._apply(self._before)
        self._line.open()

    def change(self, text: str) -> None:
        """Filters by the text."""
        self._set(parse_filter(text, describe_row))
        self._apply(self._before)

    def keep(self) -> None:
        """Keeps the filter; closes the line if it is empty."""
        if not self._visible.filter:
            self.clear()

    def clear(self, *, restore: bool = False) -> None:
        """Closes the line and lists all. `restore`: selects what was selected when the line was opened."""
        self._screen.remove_class(FILTERING)
        self._set(NO_FILTER)
        if self._line is not None:
            self._line.set_text("")
        self._apply(self._before if restore else self._selected() or self._before)

    def _set(self, to: Filter) -> None:
        self._visible.filter = to
        self._visible.rank()

    def toggle_hidden(self) -> None:
        """Hides or shows the sessions without a terminal."""
        self._screen.post_message(ToggleHidden())
