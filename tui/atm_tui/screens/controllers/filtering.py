"""The filter: its input line, its text, what is remembered of filters, and the selection while it changes."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from atm_tui.messages import ToggleHidden
from atm_tui.model import filter_book
from atm_tui.model.filter import NO_FILTER, Filter, parse_filter
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.sources.filters import FilterFile
from atm_tui.view.present import Part, describe_row
from atm_tui.view.row import RowId
from atm_tui.view.visible_sessions import VisibleSessions

if TYPE_CHECKING:
    from atm_tui.widgets.filter_line import FilterLine
    from atm_tui.widgets.fleet_view import FleetView
    from atm_tui.widgets.no_match import NoMatch

FILTERING = "-filtering"
"""The class of a screen while the filter line is shown."""
NEEDS_ME = "state:needs_you"
"""The filter for what needs the user."""
NOUNS = {"timeline": "event", "history": "past session"}
"""What a view lists, where that is not sessions."""


class FilterController:
    """Shows the input line of the filter; Enter keeps the filter, Escape clears it."""

    def __init__(
        self,
        screen: CommandScreen,
        monitor: Monitor,
        visible: VisibleSessions,
        below: Widget,
        selected: Callable[[], RowId | None],
        apply: Callable[[RowId | None], None],
    ) -> None:
        """The line is shown above the widget `below`. `selected` returns the selected row; `apply` shows the sessions listed
        now, and selects the given row if it is listed.
        """
        self._screen = screen
        self._monitor = monitor
        self._file = FilterFile(monitor.capabilities.state_dir)
        self._visible = visible
        self._below = below
        self._selected = selected
        self._apply = apply
        self._line: FilterLine | None = None
        self._no_match: NoMatch | None = None
        self._replaced = ""
        """The filter that gave way to NEEDS_ME."""
        self._before: RowId | None = None
        """What was selected when the line was opened."""
        self.handlers: Handlers = {"filter": self.open, "needs_me": self.toggle_needs_me, "hide": self.toggle_hidden}

    @property
    def is_shown(self) -> bool:
        """Whether the line is shown."""
        return self._screen.has_class(FILTERING)

    @property
    def is_typing(self) -> bool:
        """Whether the line has the focus."""
        return self._line is not None and self._line.has_focus_within

    def show_count(self, found: int, of: int, view: "FleetView") -> None:
        """Shows how many entries of a view the filter lets through and, if none, why."""
        if self._line is not None and self._no_match is not None:
            self._line.show_count(found, of)
            self._no_match.show(self._explain(of, view) if self._visible.filter and of and not found else ())

    def _explain(self, of: int, view: "FleetView") -> Sequence[Sequence[Part]]:
        """Writes what hides everything, and how to take it away."""
        from atm_tui.view.filter_terms import explain_no_match, explain_not_listed  # noqa: PLC0415  rarely needed

        fleet, tried = self._monitor.fleet, view.list_tried(self._visible.not_dismissed)
        first = explain_no_match(self._visible.filter, tried, of, NOUNS.get(view.VIEW, "session"))
        keys = {name: self._screen.keys.label(name) for name in ("clear_filter", "hide", "history")}
        lines: list[Sequence[Part]] = [first, [(keys["clear_filter"], "key"), ("  shows all again", "muted")]]
        if away := explain_not_listed(self._visible.count_dismissed(), len(fleet.hidden), keys):
            lines.append([(away, "muted")])
        return lines

    async def _show_line(self) -> "FilterLine":
        if self._line is None:
            # Imported when first needed, to keep the start short.
            from atm_tui.view.filter_terms import complete_filter  # noqa: PLC0415
            from atm_tui.widgets.filter_line import FilterLine  # noqa: PLC0415
            from atm_tui.widgets.no_match import NoMatch  # noqa: PLC0415

            self._line = FilterLine(
                lambda text: complete_filter(text, self._visible.not_dismissed, self._file.read().saved),
                self._save,
                self._forget,
            )
            self._no_match = NoMatch()
            await self._screen.mount_all([self._line, self._no_match], before=self._below)
        if not self.is_shown:
            self._before = self._selected()
            self._screen.add_class(FILTERING)
            self._apply(self._before)
        return self._line

    async def open(self) -> None:
        """Opens the input line."""
        (await self._show_line()).open(self._file.read().recent)

    async def restore(self, text: str) -> None:
        """Filters by a text that was typed on the screen before this one."""
        (await self._show_line()).set_text(text)
        self.change(text)

    async def toggle_needs_me(self) -> None:
        """Lists only what needs the user; again: what was listed before."""
        if self._visible.filter.text == NEEDS_ME:
            text, self._replaced = self._replaced, ""
        else:
            text, self._replaced = NEEDS_ME, self._visible.filter.text
        if not text:
            self.clear()
            return
        await self.restore(text)

    async def filter_by(self, text: str) -> None:
        """Filters by a text, as if it had been typed and kept."""
        (await self._show_line()).set_text(text)
        self.change(text)
        self.keep()

    def change(self, text: str) -> None:
        """Filters by the text."""
        self._set(parse_filter(text, describe_row, self._file.read().saved))
        self._apply(self._before)

    def keep(self) -> None:
        """Keeps the filter, and remembers it; closes the line if it is empty."""
        if not self._visible.filter:
            self.clear()
            return
        self._file.change(partial(filter_book.add_recent, text=self._visible.filter.text))

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

    def _save(self, name: str, text: str) -> None:
        """Saves a filter under a name."""
        if reason := filter_book.explain_bad_name(self._file.read(), name):
            self._screen.show_message(f"not saved: {reason}", trouble=True)
            return
        self._file.change(partial(filter_book.save_filter, name=name, text=text))
        self._screen.show_message(f"saved: /@{name} finds the same from now on")

    def _forget(self, text: str) -> None:
        """Removes the saved filter that a line names."""
        name = text.removeprefix("@")
        if name.casefold() not in self._file.read().saved:
            self._screen.show_message("nothing to remove: type @ and the name of a saved filter", trouble=True)
            return
        self._file.change(partial(filter_book.remove_filter, name=name))
        self._screen.show_message(f"removed: @{name}")
        self.change(text)

    def toggle_hidden(self) -> None:
        """Hides or shows the sessions without a terminal."""
        self._screen.post_message(ToggleHidden())
