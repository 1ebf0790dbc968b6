"""The screen that shows the fleet: header, filter, one of four views, panes, footer, and controllers."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.events import DescendantFocus, Resize, ScreenResume
from textual.geometry import Size
from textual.widgets import Static

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.model.fleet import Delta
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.app_parts import AppParts
from atm_tui.screens.command_screen import CommandScreen
from atm_tui.screens.controllers.actions import ActionsController
from atm_tui.screens.controllers.answers import AnswersController
from atm_tui.screens.controllers.clocks import ClocksController
from atm_tui.screens.controllers.copying import CopyController
from atm_tui.screens.controllers.custom import CustomCommandsController
from atm_tui.screens.controllers.filtering import FilterController
from atm_tui.screens.controllers.flags import FlagsController
from atm_tui.screens.controllers.marking import MarksController
from atm_tui.screens.controllers.numbers import RowNumbers
from atm_tui.screens.controllers.panes import LOW, NARROW, WIDE, PanesController
from atm_tui.screens.controllers.row_menu import open_row_menu
from atm_tui.screens.controllers.seeing import SeeingController
from atm_tui.screens.controllers.sorting import SortController
from atm_tui.screens.controllers.ticking import TickingController
from atm_tui.screens.controllers.waiting import WaitingController
from atm_tui.screens.other_views import make_replay, make_view
from atm_tui.view.clocks import round_down
from atm_tui.view.command import Selection
from atm_tui.view.present import Glyphs
from atm_tui.view.row import RowId
from atm_tui.view.subject import Subject, find_subject
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.widgets.column_headings import ColumnHeadings
from atm_tui.widgets.empty import Empty
from atm_tui.widgets.fleet_view import FleetView, find_session_of_key
from atm_tui.widgets.footer import Footer
from atm_tui.widgets.header import Header
from atm_tui.widgets.line_list import LineList
from atm_tui.widgets.queue import Queue
from atm_tui.widgets.side_panes import SidePanes
from atm_tui.widgets.tree_view import TALL, TreeView

if TYPE_CHECKING:
    from atm_tui.widgets.filter_line import FilterLine
    from atm_tui.widgets.time_slider import TimeSlider

IN_PANE = "-paned"
"""The class of the screen while a pane has the focus."""


class FleetScreen(CommandScreen):
    """Owns the selection and what counts as seen. Views show it, controllers act on it."""

    BINDINGS: ClassVar[list[BindingType]] = commands.make_bindings("replay", "main", "organize", "empty")

    def __init__(
        self, monitor: Monitor, config: Config, glyphs: Glyphs, app_parts: AppParts, *, is_loaded: bool = False
    ) -> None:
        """`is_loaded`: whether the fleet was read."""
        super().__init__()
        keys, self._now = app_parts.keys, round_down(monitor.now)
        self.keys, self._ticking = keys.commands, TickingController(self, self._tick)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-middle"), (WIDE, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high"), (TALL, "-tall")]
        self._monitor, self._fleet, self._config, self._glyphs = monitor, monitor.fleet, config, glyphs
        self.visible_sessions = VisibleSessions(monitor.fleet)
        self.header = Header(glyphs, monitor.home, config.budget_day)
        self._queue = Queue(glyphs, self._now)
        self.tree_view = TreeView(monitor.fleet, self.visible_sessions, self._now, monitor.home, config, glyphs)
        self.view: FleetView = self.tree_view
        self._numbers = RowNumbers(self, lambda: self.view)
        self._views: dict[str, FleetView] = {"tree": self.tree_view}
        self._views_area, self._empty = Container(id="views"), Empty(glyphs, self.keys)
        custom = CustomCommandsController(self, monitor, config.commands)
        self.footer = Footer(glyphs, self.keys, custom.made, monitor.capabilities.recording)
        self._waiting = WaitingController(
            self._queue, self.tree_view, monitor.fleet, lambda: self.view, lambda: self.panes.is_zoomed
        )
        self._user_key: RowId | None = None
        """The user's last selection, which is kept on the next view."""
        self._seeing = SeeingController(self, monitor.fleet)
        self.is_loaded, self._arranged_for = is_loaded, Size()
        self._copying = CopyController(self, glyphs)
        self.actions = ActionsController(self, monitor, config, glyphs, keys, self.go_to, self._copying.copy)
        self.answers = AnswersController(self, monitor, glyphs, keys, self.shows_whole)
        self.flags = FlagsController(self, monitor, self.visible_sessions)
        self._marks = MarksController(self, monitor, self.visible_sessions, self.flags, self._show_all)
        self.sorting = SortController(self, self.visible_sessions, self._show_all)
        self.filtering = FilterController(
            self, monitor, self.visible_sessions, self._views_area, lambda: self.view.key, self._apply_filter
        )
        self.panes = PanesController(self, monitor, config, glyphs, lambda: self.view.list_widget, self._find_subject)
        in_tree_view = (self.tree_view, self._queue, self.panes)
        self._clocks = ClocksController(
            self, app_parts.written, self.header, in_tree_view, self._seeing, app_parts.tick
        )
        self._replay = make_replay(monitor, glyphs, self._show_all, self.footer.update_keys)
        acting = (custom, self.actions, self._copying, self.answers, self.flags, self._marks)
        every = (*acting, self.sorting, self.filtering, self.panes)
        self.handlers = {
            **{command_id: run for each in every for command_id, run in each.handlers.items()},
            **(self._replay.handlers if self._replay else {}),
            "nth": self._numbers.select,
            "clear_filter": self.clear_filter,
        }

    def compose(self) -> ComposeResult:
        """Yields the widgets, top to bottom."""
        self.set_breakpoints()
        self.set_class(self._glyphs.ascii, "-ascii", update=False)
        self.begin_styles()
        self.panes.place(*self.app.size)
        yield self.header
        yield self._queue
        with Container(id="body"):
            with Vertical(id="left"):
                yield Static(id="rule")
                with self._views_area:
                    yield self.tree_view
            yield self.panes.widget
            yield self._empty
        if self._replay is not None:
            yield self._replay.widget
        yield self.footer

    def on_mount(self) -> None:
        """Starts the timers."""
        self.view.list_widget.focus()
        self._ticking.begin()
        self.panes.begin()
        if self._replay is not None:
            self._replay.begin(self)
        self._show_all()

    # The fleet

    def handle_fleet_change(self, delta: Delta) -> None:
        """Updates the current view; the others are updated when they are shown."""
        self.is_loaded = True
        self.tree_view.forget(delta)
        parts = (self.view, self._queue, self.header, self.panes.widget, self.footer)
        if all(each.is_attached for each in parts):  # else it is still composed, or already taken down
            self._show_all()

    def _show_all(self, *, hold: bool = True) -> None:
        now = self._now()
        self._numbers.hold()
        self._marks.drop_gone()
        self.view.show(self._fleet, hold=hold)
        self._waiting.show()
        is_laid_out = bool(self.outer_size)  # until then, all styles are still worked out
        is_empty = self.view is self.tree_view and self.tree_view.has_no_rows
        self.set_class(is_empty, "-empty", update=is_laid_out)
        self.set_class(self.is_loaded, "-loaded", update=is_laid_out and is_empty)
        self.header.show(self._fleet, now)
        self._empty.show(self._fleet.health, self.visible_sessions.count_dismissed(), len(self._fleet.hidden))
        self._show_selected()
        self.panes.read_timeline()

    def _show_selected(self) -> None:
        self._ticking.hasten()
        if self.view is self.tree_view:
            row, known = self.tree_view.session_tree.selected_row, self._find_subject() is not None
            title = row.name[0] if row is not None and known else "status"
            self.panes.show(title, fine=row is not None and row.counts_seconds)
        self.footer.show(self.selection)
        self.answers.update_shown()

    def _tick(self) -> bool:
        now = self._now()
        if self._clocks.advance(now):
            return True
        if self.view.may_move:
            self._numbers.hold()
        return self._clocks.tick(self.view, now) or self._replay is not None

    def on_resize(self, event: Resize) -> None:
        """Places the panes where there is room, unless the size is the one of the last event."""
        if event.size == self._arranged_for:
            return
        self._arranged_for = event.size
        self.panes.place(*event.size)
        self._waiting.show(keeps=False)
        self._show_all()

    # The views

    def prepare_view(self, name: str) -> FleetView:
        """Returns a view, which is made when it is first needed."""
        if name not in self._views:
            self._views[name] = make_view(name, self._monitor, self.visible_sessions, self._config, self._glyphs)
        return self._views[name]

    async def show_view(self, name: str) -> None:
        """Shows another view; the user's selection is kept."""
        if name == self.view.VIEW:
            return
        if self.view is self.tree_view:
            self._user_key = self.tree_view.key
        view = self.prepare_view(name)
        if not view.is_attached:
            view.display = False
            await self._views_area.mount(view)
        on_tree = view is self.tree_view
        with self.app.batch_update():
            self.view = view
            self.panes.widget.set_focused(None)
            self.remove_class(IN_PANE)
            self.set_class(not on_tree, "-no-panes")
            self._queue.display = on_tree and self._queue.lines > 0
            self._name_keys()
            self._show_all()
            self._carry_selection()
            for each in self._views.values():
                each.display = each is view
            self.set_focus(view.list_widget)
            self._show_selected()

    def _carry_selection(self) -> None:
        session_id = find_session_of_key(self._user_key)
        # An agent of that session may be selected in the tree: then it stays selected.
        if session_id is not None and session_id != find_session_of_key(self.view.key):
            self.view.select(("session", session_id), by_user=self.view is self.tree_view)

    # What is selected

    @property
    def selection(self) -> Selection:
        """The selection on the current view."""
        waiting, marked = len(self._fleet.list_attention()), len(self._marks.marked)
        at = replace(self.view.selection, waiting=waiting, marked=marked)
        return self.answers.add_request(at)

    def _find_subject(self) -> Subject:
        return find_subject(self._fleet, self.tree_view.key)

    def on_fleet_view_selected(self, message: FleetView.Selected) -> None:
        """Shows the selection; a session that stays selected will count as seen."""
        if message.by_user:
            self._user_key = self.view.key
            self._seeing.note_selected(self.view.selection.session, self._monitor.now())
            if self.view is self.tree_view and self.tree_view.is_at_top:
                # At the top the first rows are in view anyway, so the queue may shrink.
                self._waiting.show(keeps=False)
        self._show_selected()
        if self.view is self.tree_view:
            self.panes.reset(self.tree_view.key)

    async def go_to(self, session_id: str, *, opens: bool = False) -> None:
        """Selects a session, or shows why it can't be selected; `opens` its request as well, if it can be answered here."""
        if not self.view.can_list(session_id):
            await self.show_view("tree")
        session = self._fleet.sessions.get(session_id)
        if session is None and self.view is self.tree_view:
            return
        in_history, held = self.view is self._views.get("history"), find_session_of_key(self.view.key)
        if session is None or in_history or self.visible_sessions.is_listed(session, held):
            self.view.select(("session", session_id), by_user=True)
            if opens:
                self.answers.open_request()
        elif self.visible_sessions.is_dismissed(session):
            self.show_message("it is dismissed; the history has it", trouble=True)
        else:
            self.show_message(self.keys.spell("the filter hides it; <clear_filter> clears the filter"), trouble=True)

    async def on_queue_picked(self, message: Queue.Picked) -> None:
        """Selects the session of the clicked row; jumps there on a double click."""
        if message.twice and message.session_id == find_session_of_key(self.view.key):
            await self.action_command("jump")
        else:
            await self.go_to(message.session_id)

    def shows_whole(self, request: Request) -> bool:
        """Returns whether the view, the queue or the status pane shows all of a request."""
        if self.view.shows_whole(request):
            return True
        return self.view is self.tree_view and (self._queue.shows_whole(request) or self.panes.shows_whole(request))

    # Filter and order

    def _apply_filter(self, selected: RowId | None) -> None:
        self._show_all(hold=False)
        if selected is not None:
            self.view.select(selected)
        self._show_selected()

    def on_fleet_view_counted(self, message: FleetView.Counted) -> None:
        """Shows how many the filter lets through."""
        self.filtering.show_count(message.found, message.of, self.view)

    def on_filter_line_changed(self, message: "FilterLine.Changed") -> None:
        """Filters while typing."""
        self.filtering.change(message.text)

    def on_filter_line_kept(self) -> None:
        """Keeps the current selection."""
        self.filtering.keep()
        self._user_key = self.view.key
        self._focus_view()

    def on_filter_line_cleared(self) -> None:
        """Lists all again, with the selection from before."""
        self.filtering.clear(restore=True)
        self._focus_view()

    def _focus_view(self) -> None:
        """Focuses the view, unless a pane has the focus."""
        if self.focused is None or self.filtering.is_typing:
            self.set_focus(self.view.list_widget)

    async def clear_filter(self) -> None:
        """Removes the marks, else clears the filter; if there is neither, shows the tree."""
        if self._marks.marked:
            self._marks.clear()
        elif self.filtering.is_shown:
            self.filtering.clear()
            self._focus_view()
        else:
            await self.show_view("tree")

    def on_column_headings_clicked(self, message: ColumnHeadings.Clicked) -> None:
        """Sorts by the clicked column; again: reverses."""
        self.sorting.choose(message.order)

    # Keys

    async def action_command(self, command_id: str, key: str = "") -> None:
        """Runs a command on the selection or, if it can act on many and some are marked, on those."""
        if self._marks.acts_on(command_id):
            self._marks.run(self.find_command(command_id))
        else:
            await super().action_command(command_id, key)

    def on_line_list_menu_wanted(self, message: LineList.MenuWanted) -> None:
        """Opens the commands of the row that was clicked with the right button."""
        if self._views_area in message.widget.ancestors:
            open_row_menu(self, message.place, self._glyphs)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Returns whether a command is active here: two commands can share a key, of which one works at a time."""
        if action != "command":
            return True
        command_id = str(parameters[0])
        if command_id == "filter":
            return not self.filtering.is_typing  # the key is text for the filter then
        command, empty = self.find_command(command_id), self.view is self.tree_view and self.tree_view.has_no_rows
        if command_id in ("demo", "deny"):
            return empty is (command_id == "demo")
        if command_id == "pin" or command.group == "replay":
            return (self._replay is not None) is (command.group == "replay")
        return command.views or self.view is self.tree_view

    def show_message(self, text: str, *, trouble: bool = False) -> None:
        """Shows a message in the footer."""
        self.footer.show_message(text, trouble=trouble)

    def on_screen_resume(self, event: ScreenResume) -> None:
        """Starts again the time for which a request has been visible."""
        self._ticking.hasten()
        self.answers.update_shown()
        self.keep_styles(event)

    def handle_answer(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """Shows the outcome of an answer."""
        self.answers.show_outcome(request, decision, outcome)

    # Panes and time slider

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Updates which pane has the focus: number keys then go to panes, else to sessions."""
        self.set_class(self.panes.update_focus(event.widget), IN_PANE)
        self._name_keys()

    def _name_keys(self) -> None:
        view, pane = self.view is not self.tree_view, self.has_class(IN_PANE)
        self.footer.set_place(view=view, pane=pane, zoomed=self.panes.is_zoomed, fixed=self.panes.is_fixed)

    def on_side_panes_shown(self) -> None:
        """Reads events, since the timeline pane may have come into view; a zoomed pane takes the lines of the queue."""
        self.panes.read_timeline()
        self._waiting.show(keeps=False)
        self._name_keys()

    def on_side_panes_divided(self, message: SidePanes.Divided) -> None:
        """Stores the layout."""
        self.panes.keep_layout(message)

    def on_time_slider_sought(self, message: "TimeSlider.Sought") -> None:
        """Moves the clock to the clicked time."""
        if self._replay is not None:
            self._replay.seek(message.at)
