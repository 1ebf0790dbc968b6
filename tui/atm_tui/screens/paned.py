"""The panes of the main screen, as their user moves among them: focus, sizes, and what the timeline pane tells."""

import asyncio
from abc import abstractmethod
from pathlib import Path

from textual.events import DescendantFocus

from atm_tui.config import Config
from atm_tui.model.session import Liveness, Session, State, Unreadable
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.arrangement import Arrangement
from atm_tui.screens.finding import FindingScreen
from atm_tui.sources.layout import LayoutFile
from atm_tui.timeline.builder import TimelineEvent
from atm_tui.timeline.feed import TimelineFeed
from atm_tui.view import context_pane, cost_pane, files_pane, status_pane, tasks_pane
from atm_tui.view.pane import RenderContext
from atm_tui.view.present import Glyphs
from atm_tui.view.subject import Subject
from atm_tui.view.timeline_pane import KEEP, LEAST, Story
from atm_tui.widgets.footer import Footer
from atm_tui.widgets.scroll_pane import About, ScrollPane
from atm_tui.widgets.side_panes import Form, SidePanes

WIDE = 100
"""Columns from which on the panes stand beside the tree."""
NARROW = 60
"""Columns below which there is room for the tree or for a pane."""
LOW = 18
"""Lines below which there is no room for panes under the tree."""
TIMELINE = "timeline"
REST = 0.15
"""Seconds that the selection has to rest on a session before its journal is read."""


class PanedScreen(FindingScreen):
    """A screen with panes. A subclass selects what they show, and has the focus while none of them has it."""

    _footer: Footer

    def __init__(self, monitor: Monitor, config: Config, glyphs: Glyphs, arrangement: Arrangement) -> None:
        super().__init__(monitor, config, glyphs, arrangement)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-middle"), (WIDE, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]
        folder = getattr(monitor, "state_dir", None)
        self._layout_file = LayoutFile(folder if isinstance(folder, Path) else None)
        home = monitor.home
        paper = RenderContext(0, monitor.now(), glyphs, config.context_thresholds, home, config.budget_session)
        self._story = Story()
        self._side = SidePanes(_abouts(self._story), paper, self._layout_file.read())
        self._chronicle = TimelineFeed(monitor)
        self._told: tuple[str, list[TimelineEvent]] = ("", [])
        self._wanted = asyncio.Event()

    def on_mount(self) -> None:
        """Starts to follow what the timeline pane tells."""
        self.run_worker(self._follow_story(), name="story", group="story", exclusive=True)

    @property
    @abstractmethod
    def subject(self) -> Subject:
        """What is selected."""

    @abstractmethod
    def show_subject(self) -> None:
        """Feeds the panes."""

    def place_panes(self, width: int, height: int) -> None:
        """The screen has this size now."""
        low = height < LOW
        self._side.place(Form.WIDE if width >= WIDE else Form.MIDDLE if width >= NARROW and not low else Form.ALONE)

    # The timeline

    def want_story(self) -> None:
        """There may be news of the selected session: they are read when somebody would see them."""
        if self._side.shows(TIMELINE):
            self._wanted.set()

    def on_side_shown(self) -> None:
        """The timeline pane may have come into view."""
        self.want_story()

    def tick_story(self) -> None:
        """A second went by: a session that works may have written what changed nothing that is shown elsewhere."""
        session = _session_of(self.subject)
        if session and session.liveness is Liveness.LIVE and session.state is not State.IDLE:
            self.want_story()

    async def _follow_story(self) -> None:
        """Reads what is new in a thread; wishes that pile up become one."""
        while True:
            await self._wanted.wait()
            await asyncio.sleep(REST)
            self._wanted.clear()
            session = _session_of(self.subject)
            if session is None or not self._side.shows(TIMELINE):
                continue
            key = session.session_id
            news = await asyncio.to_thread(self._chronicle.look, [key])
            known = [] if news.again or self._told[0] != key else self._told[1]
            if news.moments or news.again or self._told[0] != key:
                self._told = (key, sorted([*known, *news.moments], key=lambda each: each.at)[-KEEP:])
                self._story.tell(key, self._told[1])
                self.show_subject()

    # Focus

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Numbers lead to panes from now on, or to sessions again."""
        name = event.widget.about.name if isinstance(event.widget, ScrollPane) else None
        self.set_class(name is not None, "-paned")
        self._side.hold(name)
        self._footer.in_pane(inside=name is not None)

    def action_panes(self) -> None:
        """On to the next pane."""
        self._step(+1)

    def action_panes_back(self) -> None:
        """Back to the pane before."""
        self._step(-1)

    def _step(self, by: int) -> None:
        ring = [None, *self._side.reachable]
        held = self._side.held
        at = ring.index(held) if held in ring else 0
        self._enter(ring[(at + by) % len(ring)])

    def _enter(self, name: str | None) -> None:
        (self._side.panes[name] if name else self.main_widget()).focus()

    def action_pane(self, number: str) -> None:
        """To the pane of this number."""
        name = list(self._side.panes)[int(number) - 1]
        if reason := self._side.refusal(name):
            self.say(f"{name}: {reason}", trouble=True)
        else:
            self._enter(name)

    def action_leave_panes(self) -> None:
        """Back to the tree."""
        self._enter(None)

    # Sizes

    def action_grow(self) -> None:
        """More room for what has the focus."""
        self._resize("larger", +1)

    def action_shrink(self) -> None:
        """Less room for it."""
        self._resize("smaller", -1)

    def _resize(self, title: str, step: int) -> None:
        if reason := self._side.grow(step):
            self.say(f"{title}: {reason}", trouble=True)

    def action_even(self) -> None:
        """As at first."""
        self._side.even()
        self.say("sizes as at first")

    def on_side_panes_divided(self, message: SidePanes.Divided) -> None:
        """Keeps the layout for the next start."""
        self._layout_file.keep(message.layout)


def _abouts(story: Story) -> list[About]:
    return [
        About("status", status_pane.write, least=8),
        About("context", context_pane.write, _of_known, least=4),
        About("cost", cost_pane.write, _of_known, enough=5),
        About(TIMELINE, story.write, story.count, least=LEAST, enough=12, follows=True),
        About("files", files_pane.write, files_pane.count),
        About("tasks", tasks_pane.write, tasks_pane.count),
    ]


def _of_known(subject: Subject) -> str | None:
    """No figure: the lines say it. Of a file that can't be read there is none at all."""
    return None if subject is None or isinstance(subject, Unreadable) else ""


def _session_of(subject: Subject) -> Session | None:
    return subject if isinstance(subject, Session) else getattr(subject, "session", None)
