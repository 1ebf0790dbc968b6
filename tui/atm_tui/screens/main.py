"""The main screen: header, tree of sessions, panes for the selected row, footer."""

import sys
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Static

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.messages import SessionSeen
from atm_tui.model.fleet import Delta
from atm_tui.model.session import Liveness, Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answering import requests_of
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.aside import run_aside
from atm_tui.screens.paned import PanedScreen
from atm_tui.view.present import Glyphs
from atm_tui.view.row import CLOSED, Row, RowId
from atm_tui.view.status_pane import CACHE_FINE
from atm_tui.view.subject import Subject, find, session_of
from atm_tui.view.tree_rows import TreeBuilder, TreeRows
from atm_tui.widgets.column_headings import ColumnHeadings
from atm_tui.widgets.empty import Empty
from atm_tui.widgets.footer import Footer
from atm_tui.widgets.header import Header
from atm_tui.widgets.queue import Queue, most_rows
from atm_tui.widgets.session_tree import COARSE_STEP, SessionTree

TALL = 30
"""Lines from which on there is an empty line before each project."""
LOOKED = 1.0
"""Seconds that the user has to rest on a session before it counts as seen."""


class MainScreen(PanedScreen):
    """Shows the fleet of a monitor. Touches only what differs, and ages once a second at most."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.bindings("main"),
        *commands.bindings("tend"),
        *commands.bindings("empty"),
    ]

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs) -> None:
        super().__init__(monitor, config, glyphs, Arrangement(monitor.fleet))
        home = monitor.home
        self._outliner = TreeBuilder(glyphs, config.closed_after, home, config.budget_session)
        self._outline = TreeRows()
        self._before_filter: tuple[set[RowId], RowId | None] = (set(), None)
        self._header = Header(glyphs, home, config.budget_day)
        self.sessions = SessionTree(monitor.now, glyphs, config.context_thresholds)
        self._queue = Queue(glyphs)
        self._heads = ColumnHeadings(id="heads")
        self._empty = Empty(glyphs)
        self._footer = Footer(glyphs)
        self._looked_at: tuple[str, float] | None = None
        self._shown_at = 0.0
        self._loaded = False

    def compose(self) -> ComposeResult:
        """The widgets, top to bottom."""
        yield self._header
        yield self._queue
        with Container(id="body"):
            with Vertical(id="left"):
                yield Static(id="rule")
                yield self._heads
                yield self.sessions
            yield self._side
            yield self._empty
        yield self._footer

    def on_mount(self) -> None:
        """Starts the clock."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self.sessions.focus()
        self.set_interval(1.0, self._tick)
        self._rebuild()

    # The fleet

    def fleet_changed(self, delta: Delta) -> None:
        """Rebuilds the rows of what changed."""
        self._loaded = True
        self._outliner.forget((*delta.changed, *delta.removed))
        self._rebuild()

    def _rebuild(self, *, hold: bool = True) -> None:
        tree = self.sessions
        airy = self.size.height >= TALL
        now = self._monitor.now()
        held = session_of(self._fleet, tree.selected) if hold else None
        arranged = self.arrangement.groups(held.session_id if held else None)
        filtered = bool(self.arrangement.filter)
        self._outline = self._outliner.build(
            self._fleet, now, tree.toggled, tree.selected, airy=airy, groups=arranged, whole=not filtered
        )
        marked = self._fleet.flags or self._fleet.requests
        tree.show(
            replace(self._outline, rows=tuple(map(self._tended, self._outline.rows))) if marked else self._outline
        )
        self._show_queue(now)
        if tree.selected is None and self._outline.rows:
            self._select_first()
        self.set_class(self._nothing, "-empty")
        self._heads.show(self.arrangement.order.value)
        self.count_found(sum(len(sessions) for _, sessions in arranged), len(self.arrangement.present))
        self.set_class(self._loaded, "-loaded")
        self._header.show(self._fleet, now)
        self._empty.show(
            self._fleet.health, len(self._fleet.sessions) - len(self.arrangement.present), len(self._fleet.hidden)
        )
        self.show_subject()
        self.want_story()

    def _tended(self, row: Row) -> Row:
        """The row with what the user laid on its session: a snoozed one is quiet; what can be answered here is marked."""
        agent = row.id[2] if row.id[0] == "agent" else None
        if row.id[0] in ("session", "agent") and requests_of(self._fleet, row.id[1], agent):
            row = replace(row, words=((f"{self._glyphs.armed} ", "armed"), *row.words))
        flags = self._fleet.flags.get(row.id[1]) if row.id[0] == "session" else None
        if flags is None:
            return row
        signs = self._glyphs.pinned if flags.pinned else ""
        if row.id[1] in self._fleet.snoozed:
            signs += self._glyphs.snoozed
            quiet = tuple((text, "muted") for text, _ in row.words)
            glyph = (row.glyph[0], "muted") if row.glyph else None
            row = replace(row, glyph=glyph, name=(row.name[0], "muted"), words=quiet)
        return replace(row, signs=signs)

    @property
    def _nothing(self) -> bool:
        """There is no session at all: a filter that finds none is something else."""
        return not self._outline.rows and not self.arrangement.filter

    def _show_queue(self, now: float, *, keeps: bool = True) -> None:
        """Rows that are scrolled stay where they are on the screen whatever the queue takes; where there is nothing to
        scroll, it `keeps` the room that it has.
        """
        before = self._queue.lines
        keeps = keeps and self.sessions.scroll_offset.y < before
        waiting = self._fleet.attention()
        here = frozenset(each.session_id for each in waiting if requests_of(self._fleet, each.session_id, None))
        self._queue.show(waiting, now, most_rows(self.size.width, self.size.height), here, keeps=keeps)
        if self.sessions.selected is not None:
            self.sessions.move_top(self._queue.lines - before)

    async def on_queue_picked(self, message: Queue.Picked) -> None:
        """A row of the queue was clicked: selects its session; twice: jumps there."""
        if message.twice and message.session_id == self.chosen:
            await self.action_command("jump")
        else:
            self.go_to(message.session_id)

    def _select_first(self) -> None:
        """At the start: who has waited longest, else the first session. Later waits never move the selection."""
        asking = self._fleet.attention()
        shown = [row.id for row in self._outline.rows]
        sessions = [row_id for row_id in shown if row_id[0] == "session"]
        first: RowId | None = ("session", asking[0].session_id) if asking else None
        self.sessions.select(first if first in shown else (sessions or shown)[0])

    # Time

    def _tick(self) -> None:
        now = self._monitor.now()
        self.tick_story()
        if self._outline.due is not None and self._outline.due <= now:
            self._rebuild()
        else:
            self.sessions.tick()
            self._header.tick(now)
            self._queue.tick(now)
            row = self.sessions.selected_row
            if row is not None and (row.fine or now - self._shown_at >= COARSE_STEP or self._cools(now)):
                self.show_subject()
        if self._looked_at is not None and now - self._looked_at[1] >= LOOKED:
            session_id, self._looked_at = self._looked_at[0], None
            session = self._fleet.sessions.get(session_id)
            if session is not None and session.unseen:
                self.post_message(SessionSeen(session_id))

    def _cools(self, now: float) -> bool:
        """Whether the prompt cache of the selected session counts its last minutes."""
        session = session_of(self._fleet, self.sessions.selected)
        until = session.cache_until if session and session.liveness is Liveness.LIVE else None
        return until is not None and self._shown_at < until and until - now < CACHE_FINE

    # The selected row

    def on_session_tree_selected(self, message: SessionTree.Selected) -> None:
        """Shows the row that is selected now."""
        session = session_of(self._fleet, message.row_id)
        if message.by_user:
            self._looked_at = (session.session_id, self._monitor.now()) if session else None
        if message.by_user and self._rows_first == message.row_id:
            # To the top is to what comes first now, and to the room that nobody needs any more.
            self._show_queue(self._monitor.now(), keeps=False)
            if self.arrangement.rank():
                self._rebuild()
                self.sessions.select(self._outline.rows[0].id)
            self.show_subject()
        elif message.by_user and (self._outline.holds or self.arrangement.holds):
            self._rebuild()
        else:
            self.show_subject()
        self._side.home()
        self.want_story()

    def on_session_tree_toggled(self, _: SessionTree.Toggled) -> None:
        """Shows or hides what is inside a row."""
        self._rebuild()

    @property
    def _rows_first(self) -> RowId | None:
        return self._outline.rows[0].id if self._outline.rows else None

    @property
    def subject(self) -> Subject:
        """What the selected row stands for."""
        return find(self._fleet, self.sessions.selected)

    def show_subject(self) -> None:
        """Shows it as it is now."""
        subject, row = self.subject, self.sessions.selected_row
        self._shown_at = self._monitor.now()
        self._side.show(subject, self._shown_at, row.name[0] if row is not None and subject is not None else "status")
        self._footer.show(self.selection)
        self.face()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One key watches the demo where there is nothing, and says no where there is something."""
        watches, denies = parameters == ("demo",), parameters == ("deny",)
        if action == "command" and (watches or denies):
            return watches is self._nothing
        return super().check_action(action, parameters)

    # Keys

    @property
    def selection(self) -> commands.Selection:
        """The selected row, for the commands."""
        row_id = self.sessions.selected
        session = session_of(self._fleet, row_id)
        folder = row_id[1] if row_id and row_id[0] == "project" else ""
        if session:
            # All worktrees of a repository have one root: of these, the one in which the session works is meant.
            folder = session.cwd if session.project.worktree else session.project.root or session.cwd
        waiting = len(self._fleet.attention())
        agent = row_id[2] if row_id and row_id[0] == "agent" else None
        at = commands.Selection(row_id[0] if row_id else "", session, folder, waiting, self._nothing, agent_id=agent)
        return self.answerable(at)

    def say(self, text: str, *, trouble: bool = False) -> None:
        """In the footer's place."""
        self._footer.say(text, trouble=trouble)

    def go_to(self, session_id: str) -> None:
        """Selects a session, unfolding what hides it."""
        session = self._fleet.sessions.get(session_id)
        if session is None:
            return
        self.take_filter()
        row_id: RowId = ("session", session_id)
        if self.arrangement.shows(session):
            self._unfold(row_id, session)
        self.sessions.select(row_id, by_user=True)
        if self.sessions.selected != row_id:
            out = self.arrangement.dismissed(session)
            why = "it is dismissed; the history has it" if out else "the filter hides it; Esc clears the filter"
            self.say(why, trouble=True)

    def _unfold(self, row_id: RowId, session: Session) -> None:
        root: RowId = ("project", session.project.root or session.cwd)
        for hides in (root,) if session.liveness is Liveness.LIVE else (CLOSED, root):
            if hides in self.sessions.toggled and all(row.id != row_id for row in self.sessions.rows):
                self.sessions.toggled = self.sessions.toggled - {hides}
                self._rebuild()

    def action_nth(self, key: str) -> None:
        """Selects the session that has this number on the screen."""
        shown = self.sessions.numbered
        if int(key) <= len(shown):
            self.sessions.select(shown[int(key) - 1], by_user=True)
        else:
            self.say(f"select: there are {len(shown)} sessions on the screen", trouble=True)

    # Find and sort

    def main_widget(self) -> Widget:
        """The tree."""
        return self.sessions

    def below_filter(self) -> Widget:
        """The heads: the line takes the place of the rule above them."""
        return self._heads

    def filter_begins(self) -> None:
        """Unfolds all meanwhile: what is found may lie in a fold."""
        self._before_filter = (self.sessions.toggled, self.sessions.selected)
        self.sessions.toggled = {each for each in self.sessions.toggled if each[0] not in ("project", "closed")}

    def filter_changed(self) -> None:
        """The selection stays where it was as long as its row is there, else it is the first found."""
        self._filtered()
        before = self._before_filter[1]
        shown = [row.id for row in self._outline.rows]
        first = before if before in shown else next((row_id for row_id in shown if row_id[0] == "session"), None)
        if first is not None:
            self.sessions.select(first)

    def filter_ends(self, *, back: bool) -> None:
        """Folds again what was folded."""
        toggled, before = self._before_filter
        selected = before if back or self.sessions.selected is None else self.sessions.selected
        self.sessions.toggled = toggled
        self._filtered()
        if selected is not None:
            self.sessions.select(selected)

    def _filtered(self) -> None:
        self.arrangement.rank()
        self.sessions.mark(self.arrangement.filter.marks)
        self._rebuild(hold=False)

    def action_sort(self) -> None:
        """Sorts by what comes next."""
        self.arrangement.order = self.arrangement.order.next
        self.arrangement.rank()
        self._rebuild()
        self.say(f"sorted by {self.arrangement.order.value}")

    def action_demo(self) -> None:
        """Plays the demo in this terminal."""
        if trouble := run_aside(self.app, (sys.executable, "-m", "atm_tui", "demo")):
            self.say(f"demo: {trouble}", trouble=True)

    # Size

    def on_resize(self, event: Resize) -> None:
        """Puts the panes where there is room for them."""
        self.place_panes(*event.size)
        self._show_queue(self._monitor.now(), keeps=False)
        self._rebuild()
