"""The bases of screens that show the fleet: they get its changes, and run commands on the selection."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import isawaitable
from types import MappingProxyType
from typing import Any, ClassVar

from textual.binding import BindingsMap
from textual.events import Hide, Resize, ScreenResume, Show
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.widget import Widget

from atm_tui import commands
from atm_tui.keys.table import CommandKeys
from atm_tui.model.fleet import Delta
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.screens.app_screen import AppScreen
from atm_tui.screens.frame import CellsUpdate
from atm_tui.view.command import Command, Selection
from atm_tui.view.present import Part
from atm_tui.widgets.chord_hint import show_chord_hint
from atm_tui.widgets.painting import Cells, Changed, collect_cells, refresh_cells

Handlers = Mapping[str, Callable[..., Awaitable[None] | None]]
"""The handler of each command, by id; it gets the number of the pressed key if the command has one for each."""


WHILE_EMPTY = {"-loaded"}
"""Classes that styles depend on only together with the class of an empty fleet."""


class FleetObserver:
    """A dialog that is notified of changes of the fleet, even when another screen covers it, as each CommandScreen is."""

    def handle_fleet_change(self, delta: Delta) -> None:
        """Updates the screen for the changes since the last call."""

    def handle_answer(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """Handles the outcome of an answer that was given on any screen."""


class CommandScreen(AppScreen[None], Screen[None]):
    """A screen whose keys run commands on the selection; `handlers` has their functions."""

    handlers: Handlers
    keys: CommandKeys
    """All commands, with their current keys."""
    custom: Mapping[str, Command] = MappingProxyType({})
    """The commands of the configuration, by id, that work on this screen."""
    refused: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """By the id of a command: why no screen of this app runs it."""

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 (textual's names)
        super().__init__(name, id, classes)
        self._styled_for: frozenset[str] = frozenset()
        """The classes with which the widgets were composed, until the first frame."""

    def handle_fleet_change(self, delta: Delta) -> None:
        """As in FleetObserver."""

    def handle_answer(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """As in FleetObserver."""

    @property
    @abstractmethod
    def selection(self) -> Selection:
        """The current selection."""

    @abstractmethod
    def show_message(self, text: str, *, trouble: bool = False) -> None:
        """Shows a message for a few seconds."""

    def _screen_resized(self, size: Size) -> None:
        """Lays out the screen for another size. At the start three events tell the same size, and Textual would for each."""
        if self._compositor.root is not self or self._compositor.size != size:
            super()._screen_resized(size)

    def place_children(self, parent: Widget, regions: Mapping[Widget, Region]) -> bool:
        """Places the children of a widget at once, without a layout of the screen; returns whether it could.

        It does not while another layout is due. `regions`: as for PartialCompositor.
        """
        is_due = self._layout_required or parent._layout_required  # noqa: SLF001
        placed = None if is_due or not self.is_current else self._compositor.place_children(parent, regions)
        if placed is None:
            return False
        parent._clear_arrangement_cache()  # noqa: SLF001  as Textual's own layout
        for widget in placed.hidden:
            widget.post_message(Hide())
        for widget in placed.shown | placed.resized:
            size = regions[widget].size
            widget._size_updated(size, size, size)  # noqa: SLF001
            widget.post_message(Resize(size, size, size))
        for widget in placed.shown:
            widget.post_message(Show())
        self._dirty_widgets.add(parent)  # so that what the compositor knows to have changed is rendered
        self.check_idle()
        return True

    @contextmanager
    def paint_together(self) -> Iterator[None]:
        """Writes the cells that widgets show meanwhile in one frame, at once: Textual's update takes many times as long."""
        with collect_cells(self) as changed:
            yield
        if changed:
            self._paint_cells(changed)

    def _paint_cells(self, changed: Changed) -> None:
        """Writes cells of widgets, with all that waits for a frame; leaves those to Textual that may be covered or move."""
        visible = self._compositor.visible_widgets
        is_due = self._layout_required or self._scroll_required or any(each._layout_required for each in visible)  # noqa: SLF001
        is_possible = not is_due and self.app.screen is self and not self.app._batch_count  # noqa: SLF001
        cells: list[Cells] = []
        for widget, parts in changed.items():
            if is_possible and (located := self._compositor.locate_cells(widget, parts)) is not None:
                cells += located
            else:
                refresh_cells(widget, parts)
        if not cells:
            return
        self._dirty_widgets |= {each for each in visible if each._repaint_required}  # noqa: SLF001
        update = None
        if self._dirty_widgets:
            self._compositor.update_widgets(self._dirty_widgets)
            update = self._compositor.render_update(screen_stack=self.app._background_screens)  # noqa: SLF001
            self._dirty_widgets.clear()
        self.app._display(self, CellsUpdate(cells, update))  # type: ignore[arg-type]  # noqa: SLF001  as Textual's own updates

    def show_chord(self, parts: Sequence[Part]) -> None:
        """Shows how a chord can go on; nothing: it is over."""
        show_chord_hint(self, parts)

    def set_breakpoints(self) -> None:
        """Sets the classes of the screen's size before the first frame; Textual does so only after it. Styles are not updated."""
        for dimension, breakpoints in (
            (self.app.size.width, self.HORIZONTAL_BREAKPOINTS),
            (self.app.size.height, self.VERTICAL_BREAKPOINTS),
        ):
            within = [(least, name) for least, name in breakpoints or [] if dimension >= least]
            if within:
                self.add_class(max(within)[1], update=False)

    def begin_styles(self) -> None:
        """Works out the screen's styles before its widgets exist, so that they begin with the right ones."""
        self.update_node_styles()
        self._styled_for = self.classes - WHILE_EMPTY

    def keep_styles(self, event: ScreenResume) -> None:
        """Keeps Textual from working out the styles of new widgets again, unless the classes differ."""
        event.refresh_styles = event.refresh_styles and self.classes - WHILE_EMPTY != self._styled_for
        self._styled_for = frozenset()

    def add_custom_commands(self, custom: Sequence[Command]) -> None:
        """Makes the keys of commands of the configuration work on this screen."""
        self.custom = {each.id: each for each in custom}
        bindings = [binding for each in custom for binding in commands.make_command_bindings(each)]
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(bindings)])

    def find_command(self, command_id: str) -> Command:
        """Returns a command of the app, or of the configuration. Raises KeyError when there is none."""
        return self.custom.get(command_id) or self.keys.find(command_id)

    async def action_command(self, command_id: str, key: str = "") -> None:
        """Runs a command, or shows why it is disabled."""
        command = self.find_command(command_id)
        if reason := command.disabled(self.selection) or self.refused.get(command_id):
            self.show_message(f"{command.title}: {reason}", trouble=True)
            return
        result: Any = self.handlers[command_id](*([key] if command.by_key else []))
        if isawaitable(result):
            await result


def list_observers(screens: Iterable[Screen[Any]]) -> list[FleetObserver | CommandScreen]:
    """Returns those of the screens that are notified of changes of the fleet."""
    return [each for each in screens if isinstance(each, FleetObserver | CommandScreen)]
