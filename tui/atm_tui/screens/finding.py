"""Filter and hide, on whichever view of the fleet: what is typed in one holds in all."""

from abc import abstractmethod
from typing import TYPE_CHECKING

from textual.widget import AwaitMount, Widget

from atm_tui.messages import ToggleHidden
from atm_tui.model.filter import NO_FILTER, Filter, parse
from atm_tui.screens.tending import TendingScreen

if TYPE_CHECKING:
    from atm_tui.widgets.filter_line import FilterLine

FILTERING = "-filtering"
"""The class of a screen on which the filter line stands."""


class FindingScreen(TendingScreen):
    """A view with a filter line. A subclass says where it stands, and shows what the filter lets through."""

    _filter_line: "FilterLine | None" = None
    _shown_filter: Filter = NO_FILTER

    @abstractmethod
    def main_widget(self) -> Widget:
        """What has the focus while nothing is typed."""

    @abstractmethod
    def below_filter(self) -> Widget:
        """What the filter line stands above."""

    @abstractmethod
    def filter_begins(self) -> None:
        """The line comes: remembers what is selected."""

    @abstractmethod
    def filter_changed(self) -> None:
        """Shows what is let through now. The selection is what it was as the line came, as long as that is there."""

    @abstractmethod
    def filter_ends(self, *, back: bool) -> None:
        """The line goes: shows all. `back`: selects what was selected as it came."""

    # One filter

    def on_screen_resume(self) -> None:
        """It may have been typed on another view meanwhile."""
        self.take_filter()

    def take_filter(self) -> None:
        """Shows what the filter lets through, when it is not the one that is shown."""
        to = self.arrangement.filter
        if to is self._shown_filter:
            return
        if to:
            self._show_line()
            if self._filter_line is not None:
                self._filter_line.put(to.text)
            self._changed(to)
        elif self.has_class(FILTERING):
            self._clear(back=False)

    def _show_line(self) -> AwaitMount | None:
        """The line is there; when it has to be made, what to wait for."""
        mounting = None
        if self._filter_line is None:
            # Loaded when first asked for: it is no part of the start.
            from atm_tui.widgets.filter_line import FilterLine  # noqa: PLC0415

            self._filter_line = FilterLine()
            mounting = self.mount(self._filter_line, before=self.below_filter())
        if not self.has_class(FILTERING):
            self.add_class(FILTERING)
            self.filter_begins()
        return mounting

    def _changed(self, to: Filter) -> None:
        self._shown_filter = self.arrangement.filter = to
        self.filter_changed()

    def _clear(self, *, back: bool) -> None:
        self.remove_class(FILTERING)
        self._shown_filter = self.arrangement.filter = NO_FILTER
        if self._filter_line is not None:
            self._filter_line.put("")
        self.filter_ends(back=back)
        self._refocus()

    def _refocus(self) -> None:
        """The keys go to the view, unless something else in it has the focus."""
        line = self._filter_line
        if self.focused is None or (line is not None and line.has_focus_within):
            self.set_focus(self.main_widget())

    def count_found(self, found: int, of: int) -> None:
        """How many of all are let through."""
        if self._filter_line is not None:
            self._filter_line.count(found, of)

    # Typing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a filter is typed, the key that opens the line is a letter of it."""
        typing = self._filter_line is not None and self._filter_line.has_focus_within
        return not (typing and (action, parameters) == ("command", ("filter",)))

    async def action_filter(self) -> None:
        """Opens the line in which a filter is typed."""
        if (mounting := self._show_line()) is not None:
            await mounting
            self.filter_changed()
        if self._filter_line is not None:
            self._filter_line.open()

    def on_filter_line_changed(self, message: "FilterLine.Changed") -> None:
        """Filters as it is typed."""
        self._changed(parse(message.text))

    def on_filter_line_kept(self) -> None:
        """Back to the view; what was found stays."""
        if self.arrangement.filter:
            self.filter_kept()
            self._refocus()
        else:
            self._clear(back=False)

    def filter_kept(self) -> None:
        """What is selected now is what the user wants."""

    def on_filter_line_cleared(self) -> None:
        """Back to all, as it was before."""
        self._clear(back=True)

    async def action_clear_filter(self) -> None:
        """Shows all again; the selection stays."""
        if self.has_class(FILTERING):
            self._clear(back=False)

    # Hidden

    def action_hide(self) -> None:
        """Hides the sessions that have no screen, or shows them."""
        self.post_message(ToggleHidden())
