"""The command palette: Textual's, with our entries and our style."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from rich.console import RenderableType
from textual import on
from textual.app import ComposeResult
from textual.command import CommandInput, CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.containers import Horizontal, Vertical
from textual.events import Mount, Resize
from textual.fuzzy import FuzzySearch
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, LoadingIndicator

from atm_tui.model.flags import NO_FLAGS, is_dismissed
from atm_tui.model.fleet import Fleet
from atm_tui.screens.active_bindings import ActiveCommand, find_selection, list_active_commands
from atm_tui.screens.app_screen import AppScreen
from atm_tui.screens.dialog_screen import tint_background
from atm_tui.screens.palette_entries import (
    Entry,
    list_command_entries,
    list_session_entries,
    list_theme_entries,
    list_unbound,
    rate_match,
    write_entry_line,
)
from atm_tui.view.command import Command
from atm_tui.view.present import Glyphs, make_content
from atm_tui.view.themes import sort_themes
from atm_tui.widgets.typed_input import TypedInput

WIDTH = 120
"""Largest width of the list in cells; the same as in the style sheet."""
FRAME = 5
"""Cells of border, padding and scrollbar."""


class Entries(Provider):
    """Provides the entries of the palette, sorted by how well they match the query."""

    async def discover(self) -> AsyncIterator[DiscoveryHit]:
        """Yields all entries, in order."""
        group = ""
        for each in self._palette.listed:
            shown = make_content(*write_entry_line(each, self._palette.line_width, first=each.group != group))
            group = each.group
            yield DiscoveryHit(shown, each.run, text=each.title)

    async def search(self, query: str) -> Hits:
        """Yields the entries that match."""
        fuzzy = FuzzySearch()
        for each in self._palette.listed:
            if fits := rate_match(each, query, fuzzy):
                shown = make_content(*write_entry_line(each, self._palette.line_width, (query, *query.split())))
                yield Hit(fits, shown, each.run, text=each.title)

    @property
    def _palette(self) -> "PaletteScreen":
        palette = self.app.screen
        assert isinstance(palette, PaletteScreen)  # noqa: S101
        return palette


class PaletteInput(CommandInput, TypedInput):
    """The input of the palette. Style and queries follow the first base."""


class PaletteActions(NamedTuple):
    """What the app does with a chosen entry."""

    go_to: Callable[[str], Awaitable[None]]
    """Selects a session by id."""
    set_theme: Callable[[str], None]
    show_message: Callable[[str], None]
    """Shows a message about what can't be done."""


class PaletteScreen(AppScreen[None], CommandPalette):
    """Opens above a screen; the chosen entry runs on that screen after the palette has closed."""

    CSS_PATH = "dialogs.tcss"

    def __init__(self, fleet: Fleet, glyphs: Glyphs, actions: PaletteActions, every: Sequence[Command]) -> None:
        """`every`: all commands with their current keys, also those of the configuration."""
        super().__init__([Entries], placeholder="A command, a session or a theme")
        self._fleet = fleet
        self._glyphs = glyphs
        self._actions = actions
        self._commands = every
        self.listed: list[Entry] = []
        """All entries, as of when the palette was opened."""

    def compose(self) -> ComposeResult:
        """Yields what Textual's does, with another input."""
        with Vertical(id="--container"):
            with Horizontal(id="--input"):
                yield SearchIcon()
                yield PaletteInput(placeholder=self._placeholder, select_on_focus=False)
            with Vertical(id="--results"):
                yield CommandList()
                yield LoadingIndicator()

    def render(self) -> RenderableType:
        """Renders what lies around the palette."""
        return tint_background(super().render())

    def on_mount(self, event: Mount) -> None:
        """Lists the entries; neither that nor anything else once it was closed: then it may have no screen below it."""
        if not self.is_attached or self not in self.app.screen_stack[1:]:
            event.prevent_default()
            return
        self.set_class(self._glyphs.ascii, "-ascii")
        self.listed = self._list_entries(self.app.screen_stack[-2])

    @on(Input.Submitted)
    @on(CommandList.OptionSelected)
    def _choose_once(self, event: Message) -> None:
        """Chooses nothing more once it was closed, as after a first of two fast keys: Textual would run the entry again."""
        if not self.is_active:
            event.prevent_default().stop()

    @property
    def line_width(self) -> int:
        """Width of a line in cells."""
        return max(20, min(self.app.size.width, WIDTH) - FRAME)

    def on_resize(self, _: Resize) -> None:
        """Writes the lines for the new width."""
        for typed in self.query(CommandInput):  # none if it was closed before it was shown
            typed.post_message(Input.Changed(typed, typed.value))

    def _list_entries(self, screen: Screen[Any]) -> list[Entry]:
        bound = list_active_commands(screen)
        selection = find_selection(screen)
        actions, app = self._actions, self.app

        def is_shown(session_id: str) -> bool:
            return not is_dismissed(self._fleet.sessions[session_id], self._fleet.flags.get(session_id, NO_FLAGS))

        return [
            *list_command_entries(
                selection,
                bound,
                lambda each: partial(self._run, each, bound),
                self._commands,
                ascii_only=self._glyphs.ascii,
            ),
            *list_session_entries(self._fleet, is_shown, lambda each: partial(actions.go_to, each), self._glyphs),
            *list_theme_entries(
                sort_themes(app.available_themes), app.theme, lambda each: partial(actions.set_theme, each)
            ),
        ]

    async def _run(self, command: Command, bound: Mapping[str, ActiveCommand]) -> None:
        """Runs the command on the screen below, which shows why if the command is disabled."""
        if why := list_unbound(command, bound):
            self._actions.show_message(f"{command.title}: {why}")
        else:
            found = bound[command.id]
            await self.app.run_action(found.action, found.node)
