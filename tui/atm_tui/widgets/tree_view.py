"""The tree of projects, sessions and agents, below the headings of its columns."""

from collections.abc import Callable

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.geometry import Region
from textual.widget import Widget

from atm_tui.config import Config
from atm_tui.model.fleet import Delta, Fleet
from atm_tui.model.request import Request
from atm_tui.model.session import Liveness, Session
from atm_tui.view.aged_lines import COARSE_STEP
from atm_tui.view.clocks import VisibleClocks
from atm_tui.view.columns import Layout
from atm_tui.view.command import Selection, get_work_folder
from atm_tui.view.present import Glyphs
from atm_tui.view.row import CLOSED, RowId
from atm_tui.view.row_marks import mark_rows
from atm_tui.view.subject import find_session
from atm_tui.view.tree_rows import TreeBuilder, TreeRows
from atm_tui.view.visible_sessions import VisibleSessions
from atm_tui.view.whole_request import find_first_wait, fits, names_whole
from atm_tui.widgets.column_headings import ColumnHeadings
from atm_tui.widgets.fleet_view import FleetView, is_in_view
from atm_tui.widgets.session_tree import SessionTree

TALL = 30
"""Height of the screen (lines) from which on there is an empty line before each project."""


class TreeView(FleetView):
    """Shows the sessions that the filter lets through. While there is a filter, no fold hides a match."""

    VIEW = "tree"

    def __init__(
        self,
        fleet: Fleet,
        visible: VisibleSessions,
        now: Callable[[], float],
        home: str,
        config: Config,
        glyphs: Glyphs,
    ) -> None:
        """`home`: the folder that is shown as ~."""
        super().__init__(id="tree-view")
        self._fleet = fleet
        self._visible = visible
        self._now = now
        self._glyphs = glyphs
        self._builder = TreeBuilder(glyphs, config.closed_after, home, config.budget_session)
        self._built = TreeRows()
        self._sought: RowId | None = None
        """The row that is about to be selected; it may be one of those that are listed only while selected."""
        self._folds_before: set[RowId] | None = None
        """The folds before the filter was set."""
        layout = Layout(config.columns, tuple(config.column_widths.items()))
        self.headings = ColumnHeadings(layout)
        self.session_tree = SessionTree(now, glyphs, config.context_thresholds, layout)

    def compose(self) -> ComposeResult:
        """Yields headings and tree."""
        yield self.headings
        yield self.session_tree

    # What is shown

    def forget(self, delta: Delta) -> None:
        """Drops the cached rows of sessions that went."""
        self._builder.forget(delta.removed)

    def show(self, fleet: Fleet, *, hold: bool = True) -> None:
        """Builds the rows, and renders those that changed."""
        tree, before = self.session_tree, self._sought or self.session_tree.selected
        self._unfold_while_filtered()
        held = find_session(fleet, before) if hold else None
        groups = self._visible.group_sessions(held.session_id if held else None)
        filtered = bool(self._visible.filter)
        self._built = self._builder.build(
            fleet,
            self._now(),
            tree.toggled,
            before,
            spaced=self.app.size.height >= TALL,
            groups=groups,
            whole=not filtered,
        )
        tree.set_marks(self._visible.filter.marks)
        rows = self._built.rows
        tree.show(replace(self._built, rows=mark_rows(rows, fleet, self._glyphs, self._visible.marked)))
        if rows and (tree.selected is None or (not hold and tree.selected != before)):
            self._select_first(waiting=hold)
        self.headings.display = bool(rows)
        reverse = " ^" if self._glyphs.ascii else " ↑"
        self.headings.show(self._visible.order.value + (reverse if self._visible.is_reversed else ""))
        of = len(fleet.sessions) - self._visible.count_dismissed()
        self.post_message(self.Counted(sum(len(each) for _, each in groups), of))

    def _unfold_while_filtered(self) -> None:
        if self._visible.filter and self._folds_before is None:
            self._folds_before = self.session_tree.toggled
            self.session_tree.toggled = {
                each for each in self.session_tree.toggled if each[0] not in ("machine", "project", "closed")
            }
        elif not self._visible.filter and self._folds_before is not None:
            self.session_tree.toggled, self._folds_before = self._folds_before, None

    def _select_first(self, *, waiting: bool) -> None:
        """Selects the first session or, at the start (`waiting`), the one with the longest wait."""
        shown = [row.id for row in self._built.rows]
        sessions = [row_id for row_id in shown if row_id[0] == "session"]
        if not sessions and self._fleet.machines:  # nothing is known yet of machines that still connect
            return
        longest = [("session", each.session_id) for each in self._fleet.list_attention()] if waiting else []
        self.session_tree.select(next((each for each in longest[:1] if each in shown), (sessions or shown)[0]))

    def tick(self, _: float) -> None:
        """Updates ages; moves sessions and agents that ended a while ago."""
        if self.may_move:
            self.show(self._fleet)
        else:
            self.session_tree.tick()

    @property
    def may_move(self) -> bool:
        """Whether a session or agent is due to move."""
        return self._built.due is not None and self._built.due <= self._now()

    def add_clocks(self, clocks: VisibleClocks) -> None:
        """Adds the ages in seconds, and when a session or agent is due to move."""
        clocks.limit(self._built.due)
        self.session_tree.add_clocks(clocks)

    def counts_seconds(self, now: float) -> bool:
        """Returns whether an age is shown in seconds, or a session or agent will soon be due to move."""
        return now <= self.session_tree.fine_until or (
            self._built.due is not None and self._built.due <= now + COARSE_STEP
        )

    def on_session_tree_toggled(self, _: SessionTree.Toggled) -> None:
        """Shows or hides the children of a row."""
        self.show(self._fleet)

    @property
    def has_no_rows(self) -> bool:
        """Whether there are no sessions, even without the filter."""
        return not self._built.rows and not self._visible.filter

    # What is selected

    def on_session_tree_selected(self, message: SessionTree.Selected) -> None:
        """Stops holding the row that was selected before, and reports the selection."""
        message.stop()
        if message.by_user and self.is_at_top:
            if self._visible.rank():
                self.show(self._fleet)
                self.session_tree.select(self._built.rows[0].id)
        elif message.by_user and (self._built.holds or self._visible.has_held):
            self.show(self._fleet)
        self.post_message(self.Selected(by_user=message.by_user))

    @property
    def is_at_top(self) -> bool:
        """Whether the first row is selected."""
        return bool(self._built.rows) and self._built.rows[0].id == self.session_tree.selected

    @property
    def key(self) -> RowId | None:
        """The id of the selected row."""
        return self.session_tree.selected

    @property
    def list_widget(self) -> Widget:
        """The tree."""
        return self.session_tree

    @property
    def selection(self) -> Selection:
        """The selected row."""
        key = self.session_tree.selected
        session = find_session(self._fleet, key)
        folder = key[1] if key and key[0] == "project" else ""
        if session:
            folder = get_work_folder(session)
        agent_id = key[2] if key and key[0] == "agent" else None
        return Selection(key[0] if key else "", session, folder, empty=self.has_no_rows, agent_id=agent_id)

    def select(self, key: RowId, *, by_user: bool = False) -> None:
        """Selects a row; unfolds the rows that hide it."""
        session = self._fleet.sessions.get(key[1]) if key[0] == "session" else None
        if session is not None and by_user and self._visible.is_listed(session):
            self._unfold(key, session)
            if all(row.id != key for row in self.session_tree.rows):
                self._sought = key
                self.show(self._fleet)
                self._sought = None
        self.session_tree.select(key, by_user=by_user)

    def _unfold(self, key: RowId, session: Session) -> None:
        root: RowId = ("project", session.root)
        member = session.membership
        leads = [("session", each) for each in self._fleet.sessions if member is not None and member.is_of(each)]
        machine: RowId = ("machine", session.machine)
        for fold in (machine, root, *leads) if session.liveness is Liveness.LIVE else (CLOSED, machine, root):
            if fold in self.session_tree.toggled and all(row.id != key for row in self.session_tree.rows):
                self.session_tree.toggled = self.session_tree.toggled - {fold}
                self.show(self._fleet)

    def list_numbered(self) -> list[RowId]:
        """Returns the sessions in view, from the top."""
        return self.session_tree.numbered_ids

    def shows_whole(self, request: Request) -> bool:
        """Returns whether the selected row shows all of the request, uncut."""
        row, at = self.session_tree.selected_row, self.session_tree.selected_line
        if row is None or at is None or row.id[0] not in ("session", "agent") or row.id[1] != request.session_id:
            return False
        agent_id = row.id[2] if row.id[0] == "agent" else None
        wait = find_first_wait(self._fleet.sessions.get(row.id[1]), agent_id)
        # The row of a session shows only which agent asks; the agent's own row shows what.
        by_agent = agent_id is None and wait is not None and bool(wait.agent_id)
        width = self.session_tree.line_width
        return (
            not by_agent
            and names_whole(wait, request)
            and fits(row.words, self.session_tree.columns.words)
            and is_in_view(self.session_tree, Region(0, at, width, 1))
        )
