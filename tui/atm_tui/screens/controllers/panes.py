"""Controls the panes beside the tree: their subject, their focus, and their sizes."""

import asyncio
from collections.abc import Callable

from textual.widget import Widget

from atm_tui.config import Config
from atm_tui.cost.limits import find_accounts
from atm_tui.model.board import is_active
from atm_tui.model.request import Request
from atm_tui.model.session import Liveness, Session, State, Unreadable
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.sources.layout import LayoutFile
from atm_tui.text import FINE_UNTIL
from atm_tui.timeline.builder import TimelineEvent
from atm_tui.timeline.feed import TimelineFeed
from atm_tui.view import context_pane, cost_pane, files_pane, status_pane, tasks_pane
from atm_tui.view.aged_lines import COARSE_STEP
from atm_tui.view.clocks import VisibleClocks, round_down
from atm_tui.view.pane import PaneContent, RenderContext
from atm_tui.view.present import Glyphs
from atm_tui.view.row import RowId
from atm_tui.view.status_pane import CACHE_FINE
from atm_tui.view.subject import AgentIn, DoneAgents, Subject
from atm_tui.view.timeline_pane import KEEP, LEAST, TimelinePane
from atm_tui.widgets.scroll_pane import ScrollPane
from atm_tui.widgets.side_panes import Form, SidePanes

WIDE = 116
"""Width of the screen (columns) from which on the panes are beside the tree: with less, it would be narrower than on a screen of
80 columns.
"""
NARROW = 60
"""Width of the screen (columns) below which it shows either the tree or a pane."""
LOW = 24
"""Height of the screen (lines) below which panes below the tree give way to it and the queue."""
ZOOMED = "-zoomed"
"""The class of the screen while one pane takes all of it."""
MINUTE = 61.0
"""Seconds after which a time is shown in minutes, with one that covers what clocks round; fewer times count on."""
TIMELINE = "timeline"
REST = 0.15
"""Seconds for which a session has to be selected before its journal is read."""


class PanesController:
    """Shows the selected row in the panes, and carries out their commands."""

    def __init__(
        self,
        screen: CommandScreen,
        monitor: Monitor,
        config: Config,
        glyphs: Glyphs,
        list_widget: Callable[[], Widget],
        subject: Callable[[], Subject],
    ) -> None:
        """`list_widget` returns the widget with the focus while no pane has it; `subject` returns what the selected row shows."""
        self._screen = screen
        self._monitor, self._now = monitor, round_down(monitor.now)
        self._list_widget = list_widget
        self._subject = subject
        self._layout_file = LayoutFile(monitor.capabilities.state_dir)
        context = RenderContext(
            0, monitor.now(), glyphs, config.context_thresholds, monitor.home, config.budget_session
        )
        self._story = TimelinePane()
        contents, layout = _list_pane_contents(self._story), self._layout_file.read()
        self.widget = SidePanes(contents, context, layout, screen.place_children, self._now)
        self._feed = TimelineFeed(
            monitor.capabilities.state_dir, monitor.contents.read_events, monitor.contents.follow_elsewhere
        )
        self._events: tuple[str, list[TimelineEvent]] = ("", [])
        self._wanted = asyncio.Event()
        self._shown_at = 0.0
        self._title = "status"
        self._fine = False
        self._before_zoom: str | None = None
        """The pane that had the focus before the zoom; None: the tree."""
        self._zoom_from: tuple[str, str | None, int] | None = None
        """The pane that is zoomed once it has the focus, with the pane from before the zoom and the line of the tree."""
        self._kept_for: RowId | None = None
        """The row for which the panes keep what is in view."""
        self._scrolled = 0
        """The first line of the tree in view before the zoom."""
        self.handlers: Handlers = {
            "panes": lambda: self._step(+1),
            "panes_back": lambda: self._step(-1),
            "pane": self.enter_numbered,
            "leave_panes": lambda: self.enter(None),
            "grow": lambda: self._resize("larger", +1),
            "shrink": lambda: self._resize("smaller", -1),
            "even": self.reset_sizes,
            "zoom": self.toggle_zoom,
        }

    def begin(self) -> None:
        """Starts to read the events of the timeline pane."""
        self._screen.run_worker(self._follow_timeline(), name="story", group="story", exclusive=True)

    # What they show

    def show(self, title: str, *, fine: bool) -> None:
        """Updates the panes. `title`: name of the subject; `fine`: whether its age is shown in seconds."""
        self._title, self._fine = title, fine
        self._shown_at = self._now()
        fleet = self._monitor.fleet
        accounts = find_accounts(fleet.list_limited(), fleet.limits_full_at)
        self.widget.show(self._subject(), self._shown_at, title, accounts)

    def reset(self, row: RowId | None) -> None:
        """Scrolls each pane to its start, since another row is selected."""
        if row is None or row != self._kept_for:
            self._kept_for = None
            self.widget.reset()
        self.read_timeline()

    def counts_seconds(self, now: float) -> bool:
        """Returns whether something may change within a second: a time, or the journal of a working session."""
        session = _find_session(self._subject())
        if session is None:
            return False
        works = session.liveness is Liveness.LIVE and session.state is State.WORKING
        return works or self._is_cooling(session, now) or (self._fine and _is_younger(self._subject(), now, FINE_UNTIL))

    def tick(self, now: float) -> None:
        """Called with each tick: updates ages, and reads the journal of a working session."""
        self.look_for_news()
        session = _find_session(self._subject())
        if now // COARSE_STEP != self._shown_at // COARSE_STEP:
            self.show(self._title, fine=self._fine)
        elif self._fine and _is_younger(self._subject(), now, MINUTE):
            self.widget.tick(now)
        elif self._fine or self._is_cooling(session, now):
            self.widget.tick_clocks(now)

    def add_clocks(self, clocks: VisibleClocks) -> None:
        """Adds what `tick` would change."""
        subject, now = self._subject(), clocks.now
        session = _find_session(subject)
        if self._fine and _is_younger(subject, now, MINUTE):
            clocks.give_up()
        if (
            session is not None
            and session.cache_until is not None
            and now < (cools_at := session.cache_until - CACHE_FINE)
        ):
            clocks.limit(cools_at)
        if self._fine or self._is_cooling(session, now):
            next(iter(self.widget.panes.values())).add_clocks(clocks)  # of the status

    def look_for_news(self) -> None:
        """Reads the journal of the selected session if it is active and has news."""
        session = _find_session(self._subject())
        if session and is_active(session) and self._feed.may_have_news(session.session_id):
            self.read_timeline()

    def _is_cooling(self, session: Session | None, now: float) -> bool:
        """Returns whether the prompt cache of the selected session is in its last minutes, in which seconds are shown."""
        until = session.cache_until if session and session.liveness is Liveness.LIVE else None
        return until is not None and self._shown_at < until and until - now < CACHE_FINE

    def shows_whole(self, request: Request) -> bool:
        """Returns whether the status pane shows all of a request."""
        return self.widget.shows_whole(request)

    def take_over(self, other: "PanesController") -> None:
        """Shows the events that other panes have read, until they are read again. Call it before the panes are shown."""
        self._story.set_events(*other._events)  # noqa: SLF001  of the same class

    def stay_at(self, other: "PanesController", row: RowId | None) -> None:
        """Scrolls to what is in view in other panes, and stays there while this row is selected."""
        self._kept_for = row
        self.widget.chosen = other.widget.chosen
        for name, pane in self.widget.panes.items():
            pane.stay_at(other.widget.panes[name])

    # The timeline

    def read_timeline(self) -> None:
        """Requests new events of the selected session, if the timeline pane is in view."""
        if self.widget.shows(TIMELINE):
            self._wanted.set()

    async def _follow_timeline(self) -> None:
        """Reads new events in a thread; pending requests are merged into one."""
        while True:
            await self._wanted.wait()
            await asyncio.sleep(REST)
            self._wanted.clear()
            session = _find_session(self._subject())
            if session is None or not self.widget.shows(TIMELINE):
                continue
            key = session.session_id
            news = await asyncio.to_thread(self._feed.read, [key])
            known = [] if news.again or self._events[0] != key else self._events[1]
            if news.events or news.again or self._events[0] != key:
                self._events = (key, sorted([*known, *news.events], key=lambda each: each.at)[-KEEP:])
                self._story.set_events(key, self._events[1])
                self.show(self._title, fine=self._fine)

    # Focus

    def take_focus(self, other: "PanesController") -> None:
        """Focuses and zooms the pane that has the focus, or is zoomed, in other panes."""
        if (name := other.widget.focused) is not None:
            if other.is_zoomed:
                self._zoom_from = (name, other._before_zoom, other._scrolled)  # noqa: SLF001  of the same class
            self._screen.app.call_later(self.enter, name)  # after the list has got the focus

    def update_focus(self, widget: Widget) -> bool:
        """Notes that `widget` has the focus; returns whether it is a pane."""
        name = widget.content.name if isinstance(widget, ScrollPane) else None
        if self.is_zoomed:  # the zoom goes to the next pane, and ends in the tree
            self._zoom(name)
        elif self._zoom_from is not None and name == self._zoom_from[0]:
            self._zoom(name)
            (_, self._before_zoom, self._scrolled), self._zoom_from = self._zoom_from, None
        self.widget.set_focused(name)
        return name is not None

    @property
    def is_zoomed(self) -> bool:
        """Whether one pane takes the whole screen."""
        return self._screen.has_class(ZOOMED)

    @property
    def is_fixed(self) -> bool:
        """Whether no size can be changed now."""
        return self.widget.explain_fixed() is not None

    def toggle_zoom(self) -> None:
        """Shows the pane with the focus, or that of the selected row's status, on the whole screen; again: as before."""
        if self.is_zoomed:
            self._zoom(None)
            self.enter(self._before_zoom)
            return
        self._before_zoom = self.widget.focused
        name = self._before_zoom or next(iter(self.widget.panes))
        self._zoom(name)
        self.enter(name)

    def _zoom(self, name: str | None) -> None:
        tree = self._list_widget()
        if name is not None and not self.is_zoomed:
            self._scrolled = tree.scroll_offset.y
        elif name is None:  # it had no lines meanwhile
            tree.call_after_refresh(tree.scroll_to, y=self._scrolled, animate=False)
        self._screen.set_class(name is not None, ZOOMED)
        self.widget.zoom(name)

    def _step(self, by: int) -> None:
        ring = [None, *self.widget.reachable]
        held = self.widget.focused
        at = ring.index(held) if held in ring else 0
        self.enter(ring[(at + by) % len(ring)])

    def enter(self, name: str | None) -> None:
        """Focuses a pane; None: the tree."""
        (self.widget.panes[name] if name else self._list_widget()).focus()

    def enter_numbered(self, number: str) -> None:
        """Focuses the pane with this number."""
        name = list(self.widget.panes)[int(number) - 1]
        if reason := self.widget.explain_refusal(name):
            self._screen.show_message(f"{name}: {reason}", trouble=True)
        else:
            self.enter(name)

    # Sizes

    def place(self, width: int, height: int) -> None:
        """Places the panes where a screen of this size (cells) has room."""
        low, before = height < LOW, self.is_fixed
        self.widget.place(Form.WIDE if width >= WIDE else Form.MIDDLE if width >= NARROW and not low else Form.ALONE)
        if self.is_fixed is not before:
            self.widget.post_message(SidePanes.Shown())

    def _resize(self, title: str, step: int) -> None:
        if reason := self.widget.grow(step):
            self._screen.show_message(f"{title}: {reason}", trouble=True)

    def reset_sizes(self) -> None:
        """Resets all sizes."""
        self.widget.reset_sizes()
        self._screen.show_message("sizes reset")

    def keep_layout(self, message: SidePanes.Divided) -> None:
        """Stores the layout for the next start."""
        self._layout_file.save(message.layout)


def _list_pane_contents(story: TimelinePane) -> list[PaneContent]:
    return [
        PaneContent(
            "status",
            status_pane.write,
            least=8,
            follows_clock=True,
            write_clocks=status_pane.write_clocks,
            list_countings=status_pane.list_countings,
        ),
        PaneContent("context", context_pane.write, _count_nothing, least=4, follows_clock=True),
        PaneContent("cost", cost_pane.write, _count_nothing, enough=5),
        PaneContent(TIMELINE, story.write, story.count, least=LEAST, enough=12, newest_last=True),
        PaneContent("files", files_pane.write, files_pane.count_files),
        PaneContent("tasks", tasks_pane.write, tasks_pane.count_tasks),
    ]


def _count_nothing(subject: Subject) -> str | None:
    """Returns no figure; None for an unreadable file, for which these panes show nothing."""
    return None if subject is None or isinstance(subject, Unreadable) else ""


def _find_session(subject: Subject) -> Session | None:
    if isinstance(subject, AgentIn | DoneAgents):
        return subject.session
    return subject if isinstance(subject, Session) else None


def _is_younger(subject: Subject, now: float, seconds: float) -> bool:
    """Returns whether the last change of state, or the last word of its machine, is at most so old."""
    session = _find_session(subject)
    state = subject.agent if isinstance(subject, AgentIn) else session
    there = session.elsewhere if session is not None else None
    moments = (state.since if state is not None else None, there.silent_since if there is not None else None)
    return any(at is not None and now - at <= seconds for at in moments)
