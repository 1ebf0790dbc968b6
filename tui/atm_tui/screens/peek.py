"""The peek: one session in detail."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region
from textual.timer import Timer
from textual.widgets import Static

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.model.fleet import Delta
from atm_tui.model.request import AnswerOutcome, Decision, Request
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answer_keys import AnswerKeys
from atm_tui.screens.command_screen import CommandScreen
from atm_tui.screens.controllers.answers import AnswersController
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.screens.motion_keys import make_scroll_bindings
from atm_tui.text import clean
from atm_tui.timeline.calls import list_last_calls
from atm_tui.view.command import Selection, format_key
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.peek import PeekContent, find_request_line, write
from atm_tui.view.present import Glyphs, make_content
from atm_tui.widgets.fleet_view import is_in_view
from atm_tui.widgets.header import Header

CALLS = 20
"""Number of tool calls that are shown."""
WIDTH = 110
"""Largest width of the box in cells; the same as in the style sheet."""
FRAME = 8
"""Cells of border, padding and scrollbar of the box, and a blank before that."""
MESSAGE_SECONDS = 5.0
"""Seconds for which a message is shown."""


class PeekScreen(DialogScreen[None], CommandScreen):
    """Shows a session in detail; updated when the session changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_answer_bindings(),
        *commands.make_bindings("peek"),
        Binding("question_mark", "app.help", show=False, id="help"),
        *make_scroll_bindings(),
    ]

    def __init__(
        self,
        session: Session,
        monitor: Monitor,
        config: Config,
        glyphs: Glyphs,
        keys: AnswerKeys,
        jump: Callable[[Session], None],
    ) -> None:
        """`keys`: the app's guard against repeated answers; `jump` goes to a session."""
        super().__init__()
        self._session = session
        self.keys = keys.commands
        self._jump = jump
        self._monitor = monitor
        self._fleet = monitor.fleet
        self._glyphs = glyphs
        self._message: Timer | None = None
        """The timer that removes the message."""
        self._peeked: PeekContent | None = None
        self._shown: list[Line] = []
        self._pane_context = RenderContext(0, monitor.now(), glyphs, config.context_thresholds, monitor.home)
        self._header = Header(glyphs, monitor.home, config.budget_day)
        self.scrolled = self._box = VerticalScroll(id="peek")
        self._text = Static()
        self.answers = AnswersController(self, monitor, glyphs, keys, self.shows_whole)
        self.handlers = {
            **self.answers.handlers,
            "peek_jump": self.close_and_jump,
            "peek_close": self.dismiss,
        }

    def compose(self) -> ComposeResult:
        """Yields the header and one scrolling text."""
        yield self._header
        with self._box:
            yield self._text

    def on_mount(self) -> None:
        """Starts to read the transcript, and to update ages."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._header.show(self._fleet, self._monitor.now())
        self._name_keys()
        self._box.focus()
        self.set_interval(1.0, self._tick)
        self._start_reading()

    def handle_fleet_change(self, delta: Delta) -> None:
        """Reads again if this session changed."""
        self._header.show(self._fleet, self._monitor.now())
        if self._session.session_id in (*delta.changed, *delta.removed, *delta.added):
            self._start_reading()
        if delta.asked:
            self._name_keys()
            self.answers.update_shown()

    def _tick(self) -> None:
        self._header.tick(self._monitor.now())
        self._paint()

    # Answers

    @property
    def selection(self) -> Selection:
        """The session as a selection."""
        return self.answers.add_request(Selection("session", self._session, empty=False))

    def on_screen_resume(self) -> None:
        """Starts again the time for which a request has been visible."""
        self.answers.update_shown()

    def handle_answer(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """Shows the outcome of an answer."""
        self.answers.show_outcome(request, decision, outcome)

    def show_message(self, text: str, *, trouble: bool = False) -> None:  # noqa: ARG002 (the base's name)
        """Shows a message in place of the keys for a few seconds."""
        if self._message is not None:
            self._message.stop()
        self._box.border_subtitle = Content(clean(text))
        self._message = self.set_timer(MESSAGE_SECONDS, self._clear_message)

    def _clear_message(self) -> None:
        self._message = None
        self._name_keys()

    def shows_whole(self, request: Request) -> bool:
        """Returns whether a line in view shows all of the request."""
        if self._peeked is None:
            return False
        line = find_request_line(self._peeked, self._pane_context, request)
        return line is not None and is_in_view(self._text, Region(0, line, self._pane_context.width, 1))

    def _name_keys(self) -> None:
        if self._message is not None:
            return
        at, plain = self.selection, self._glyphs.ascii
        enabled = [each for each in map(self.keys.find, commands.ANSWERS) if each.disabled(at) is None]
        shown = [*enabled, self.keys.find("peek_jump"), self.keys.find("peek_close")]
        self._box.border_subtitle = "  ".join(
            f"{format_key(each.keys[0], ascii_only=plain)} {each.title}" for each in shown if each.keys
        )

    # What is shown

    def _start_reading(self) -> None:
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        session = self._monitor.fleet.sessions.get(self._session.session_id)
        if session is None:
            self._box.border_title = Content("gone")
            return
        self._session = session

        def read() -> PeekContent:
            calls = list_last_calls(self._monitor.contents.read_events(session.session_id), CALLS)
            return PeekContent(session, calls, self._monitor.contents.find_inputs(session))

        self._peeked = await asyncio.to_thread(read)
        self._box.border_title = Content(clean(session.name))
        self._paint()

    def on_resize(self, event: Resize) -> None:
        """Wraps the lines for the new width."""
        width = max(20, min(event.size.width, WIDTH) - FRAME)
        self._pane_context = RenderContext(
            width, 0.0, self._pane_context.glyphs, self._pane_context.thresholds, self._pane_context.home
        )
        self._paint()

    def _paint(self) -> None:
        if self._peeked is None or self._pane_context.width < 1:
            return
        self._pane_context = replace(self._pane_context, now=self._monitor.now())
        lines = write(self._peeked, self._pane_context)
        if lines != self._shown:
            self._shown = lines
            self._text.update(Content("\n").join(make_content(*line) for line in lines))

    def close_and_jump(self) -> None:
        """Closes the peek and goes to the session."""
        self.dismiss()
        self._jump(self._session)
