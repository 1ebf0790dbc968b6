"""Peek: a closer look at one session, without leaving the app."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Static

from atm_tui import commands
from atm_tui.commands import Selection, key_label
from atm_tui.config import Config
from atm_tui.model.fleet import Delta
from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answering import AnsweringScreen
from atm_tui.sources.tool_input import find_tool_input
from atm_tui.timeline.calls import last_calls
from atm_tui.view.pane import Line, RenderContext
from atm_tui.view.peek import Peeked, write
from atm_tui.view.present import Glyphs, clean, content
from atm_tui.view.request import whole_line

CALLS = 20
"""Tool calls that are shown."""
WIDTH = 110
"""The widest that the box gets, in cells; as in the style sheet."""
FRAME = 7
"""Border, padding and scrollbar of the box."""
SAID = 5.0
"""Seconds for which a word stays."""


class PeekScreen(ModalScreen[None], AnsweringScreen):
    """Shows what is known of a session now, and goes on as it changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.answer_bindings(),
        *commands.bindings("peek"),
        Binding("question_mark", "app.help", show=False),
        Binding("j", "scroll('down')", show=False),
        Binding("k", "scroll('up')", show=False),
        Binding("g", "scroll('home')", show=False),
        Binding("G", "scroll('end')", show=False),
    ]

    def __init__(
        self, session: Session, monitor: Monitor, config: Config, glyphs: Glyphs, jump: Callable[[Session], None]
    ) -> None:
        super().__init__()
        self._session = session
        self._jump = jump
        self._monitor = monitor
        self._fleet = monitor.fleet
        self._glyphs = glyphs
        self._said: Timer | None = None
        self._peeked: Peeked | None = None
        self._shown: list[Line] = []
        self._paper = RenderContext(0, monitor.now(), glyphs, config.context_thresholds, monitor.home)
        self._box = VerticalScroll(id="peek")
        self._text = Static()

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with self._box:
            yield self._text

    def on_mount(self) -> None:
        """Looks, and lets ages go on."""
        self.set_class(self._paper.glyphs.ascii, "-ascii")
        self._name_keys()
        self._box.focus()
        self.set_interval(1.0, self._paint)
        self._look()

    def fleet_changed(self, delta: Delta) -> None:
        """Looks again when it is about this session."""
        if self._session.session_id in (*delta.changed, *delta.removed, *delta.added):
            self._look()
        if delta.asked:
            self._name_keys()
            self.face()

    # Answers

    @property
    def selection(self) -> Selection:
        """The session, for the commands."""
        return self.answerable(Selection("session", self._session, empty=False))

    def say(self, text: str, *, trouble: bool = False) -> None:  # noqa: ARG002 (the base's name)
        """In the place of the keys."""
        if self._said is not None:
            self._said.stop()
        self._box.border_subtitle = Content(clean(text))
        self._said = self.set_timer(SAID, self._said_it)

    def _said_it(self) -> None:
        self._said = None
        self._name_keys()

    def stands(self, request: Request) -> bool:
        """Whether a line of the box is the whole of it."""
        line = whole_line(request)
        box = self._text.region.intersection(self._box.scrollable_content_region)
        strips = self._compositor.render_strips()[box.y : box.bottom]
        shown = [each.crop(box.x, box.right).text.strip() for each in strips]
        return line is not None and any(each in (line, f"command {line}", f"file_path {line}") for each in shown)

    def _name_keys(self) -> None:
        if self._said is not None:
            return
        at, plain = self.selection, self._glyphs.ascii
        able = [commands.command(each) for each in commands.ANSWERS]
        keys = [(each.keys[0], each.title) for each in able if each.disabled(at) is None]
        keys += [("enter", "jump"), ("space", "close")]
        self._box.border_subtitle = "  ".join(f"{key_label(key, ascii_only=plain)} {title}" for key, title in keys)

    # What is shown

    def _look(self) -> None:
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        session = self._monitor.fleet.sessions.get(self._session.session_id)
        if session is None:
            self._box.border_title = Content("gone")
            return
        self._session = session

        asked = {each.key: each.input for each in self._fleet.requests_of(session.session_id)}

        def look() -> Peeked:
            found = {
                each.key: asked.get(each.key) or find_tool_input(session.transcript_path, each)
                for each in session.waits
            }
            calls = last_calls(self._monitor.history(session.session_id), CALLS)
            return Peeked(session, calls, {key: given for key, given in found.items() if given is not None})

        self._peeked = await asyncio.to_thread(look)
        self._box.border_title = Content(clean(session.name))
        self._paint()

    def on_resize(self, event: Resize) -> None:
        """Breaks the lines for the new width."""
        width = max(20, min(event.size.width, WIDTH) - FRAME)
        self._paper = RenderContext(width, 0.0, self._paper.glyphs, self._paper.thresholds, self._paper.home)
        self._paint()

    def _paint(self) -> None:
        at = self._paper
        if self._peeked is None or at.width < 1:
            return
        self._paper = RenderContext(at.width, self._monitor.now(), at.glyphs, at.thresholds, at.home)
        lines = write(self._peeked, self._paper)
        if lines != self._shown:
            self._shown = lines
            self._text.update(Content("\n").join(content(*line) for line in lines))

    def action_peek_close(self) -> None:
        """Closes the peek."""
        self.dismiss()

    def action_peek_jump(self) -> None:
        """Closes the peek, and goes to the session."""
        self.dismiss()
        self._jump(self._session)

    def action_scroll(self, where: str) -> None:
        """By a line, or to an end."""
        scroll = {
            "down": self._box.scroll_down,
            "up": self._box.scroll_up,
            "home": self._box.scroll_home,
            "end": self._box.scroll_end,
        }
        scroll[where](animate=False)
