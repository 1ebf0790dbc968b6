"""The request dialog: all of one request, and the keys that answer it."""

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region
from textual.widgets import Input

from atm_tui import commands
from atm_tui.messages import Answer
from atm_tui.model.fleet import Delta
from atm_tui.model.request import ALIKE, PLAN, AnswerOutcome, Decision, Request, list_questions
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.answer_keys import AnswerKeys
from atm_tui.screens.command_screen import FleetObserver
from atm_tui.screens.controllers.body_writer import BodyWriter
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.screens.motion_keys import make_scroll_bindings
from atm_tui.sources.plan import find_plan
from atm_tui.text import clean, format_count
from atm_tui.view.answer_messages import ANSWER_THERE, Action, describe_outcome, explain_gone
from atm_tui.view.present import Glyphs
from atm_tui.view.request import find_number, write_title
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_footer import DialogState, Mode, describe_state
from atm_tui.view.request_text import FRAME, NARROW, SPACED_FROM, RequestText, fit_layout
from atm_tui.widgets.request_footer import RequestFooter
from atm_tui.widgets.request_input import RequestInput
from atm_tui.widgets.request_lines import RequestLines

CLOSING = 1.5
"""Seconds for which a dialog whose request is gone shows why before it closes."""
REASON = 2000
"""Most characters of a reason for a denial."""


class RequestScreen(DialogScreen[str], FleetObserver):
    """Nothing is chosen by default. Yes works once all lines were seen; a dangerous request needs a second yes.

    Dismissed with the reason why the request is gone, or None if this app answered it.
    """

    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_request_bindings(),
        Binding("escape", "back", show=False),
        Binding("q", "close", show=False),
        Binding("tab", "question(1)", show=False),
        Binding("shift+tab", "question(-1)", show=False),
        Binding("space", "scroll('page_down')", show=False),
        *make_scroll_bindings(),
    ]

    def __init__(
        self, request: Request, monitor: Monitor, glyphs: Glyphs, keys: AnswerKeys, action: Action | None = None
    ) -> None:
        """`action`: how the user wanted to answer when it was opened."""
        super().__init__()
        self._monitor = monitor
        self._glyphs = glyphs
        self._keys = keys
        self._first_action = action
        self._given: Decision | None = None
        self._writer = BodyWriter(self, lambda: self._text, self._paint)
        self._start(request)
        self._frame = Vertical(id="request")
        self.scrolled = self._body = VerticalScroll(id="request-body", can_focus=False)
        self._lines = RequestLines()
        self._line = RequestInput(REASON)
        self._footer = RequestFooter(ascii_only=glyphs.ascii)

    def _start(self, request: Request) -> None:
        """Shows a request, of which no line is seen and nothing chosen yet."""
        self._request = request
        self._text = RequestText(request, self._glyphs, self._monitor.home)
        self._choices = Choices(list_questions(request))
        self._plan: tuple[str, str] | None = None
        self._is_plan_read = request.tool != PLAN
        self._mode: Mode = ""
        self._pending: Decision | None = None
        """A yes that needs a second one."""
        self._notice = ""

    def compose(self) -> ComposeResult:
        """Yields the text, the input, and the keys."""
        with self._frame:
            with self._body:
                yield self._lines
            yield self._line
            yield self._footer

    def on_mount(self) -> None:
        """Shows the request, and starts to update its age."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self.watch(self._body, "scroll_y", self._mark_seen, init=False)
        self.set_interval(1.0, self._paint)
        self._keys.set_shown(self, self._request.nonce)
        self._read_plan()

    def _read_plan(self) -> None:
        """Reads the text of a plan from its file."""
        if not self._is_plan_read:
            self.run_worker(self._find_plan(self._request), exclusive=True)

    async def _find_plan(self, request: Request) -> None:
        found = await asyncio.to_thread(find_plan, request)
        if request is self._request:
            self._plan, self._is_plan_read = found, True
            self._paint()

    def on_resize(self, event: Resize) -> None:
        """Wraps the lines for the new width; seen lines stay seen."""
        self.set_class(event.size.height >= SPACED_FROM, "-spaced")
        self._paint()
        action, self._first_action = self._first_action, None
        if action is Action.DENY:
            self.action_deny()
        elif action is Action.ALWAYS:
            self.action_always()

    # The fleet

    @property
    def _siblings(self) -> tuple[Request, ...]:
        """All open requests of the session."""
        return self._monitor.fleet.list_requests(self._request.session_id)

    def handle_fleet_change(self, delta: Delta) -> None:  # noqa: ARG002 (the base's name)
        """Closes when the request is gone; never switches to another request by itself."""
        if self._mode != "done" and self._given is None and self._request.nonce not in self._monitor.fleet.requests:
            self._end(explain_gone(self._monitor.fleet, self._request))
        else:
            self._paint()

    def handle_answer(self, request: Request, decision: Decision, outcome: AnswerOutcome) -> None:
        """Closes when the request is settled; at once if by this answer."""
        if request.nonce != self._request.nonce or self._mode == "done":
            return
        self._given = None
        if outcome is AnswerOutcome.GIVEN:
            self._leave()
        elif outcome in (AnswerOutcome.VOID, AnswerOutcome.REFUSED, AnswerOutcome.REFUSED_THERE):
            self._set_mode("", describe_outcome(decision, outcome))
        else:
            self._end(describe_outcome(decision, outcome))

    def _end(self, reason: str) -> None:
        """Shows why it closes. Does not close while the user is typing, since the next keys would be commands."""
        writing = self._mode in ("reason", "other")
        self._mode, self._notice = "done", reason
        self._line.placeholder = ""
        if not writing:
            self.set_timer(CLOSING, self._leave)
        self._paint()

    def _leave(self) -> None:
        if self.is_active:
            self.dismiss(self._notice if self._mode == "done" else "")

    # Answers

    def _decide(self, decision: Decision) -> None:
        """Sends an answer, if the request was visible for a moment; a yes also requires that all of it was seen."""
        if self._given is not None:
            return
        if decision.kind not in self._request.kinds:
            self._set_mode("", f"{ALIKE}: {ANSWER_THERE}")
            return
        if not self._is_plan_read or not self._keys.is_settled(self, self._shown_key):
            self._keys.block(self._keys.every_yes)
            self._notice = "it has only just appeared: press again"
            self._show_footer()
            return
        if decision.kind != "deny":
            if self._text.explain_not_whole():
                self._set_mode("")
                return
            if self._text.unseen:
                self._scroll_to_unseen()
                return
            if self._pending is None and self._monitor.fleet.list_dangers(self._request, decision):
                self._keys.block(self._keys.first_yes)
                self._pending = decision
                self._set_mode("confirm")
                return
        self._given = decision
        self._keys.block()
        self.post_message(Answer(self._request, decision))

    def _scroll_to_unseen(self) -> None:
        """Scrolls to the first line that was not seen yet."""
        self._body.scroll_to(y=self._text.unseen[0], animate=False)
        self._keys.block(self._keys.every_yes)
        narrow = self.size.width < NARROW + FRAME
        self._set_mode(self._mode, ": make the window wider first" if narrow else ": see all of it first")

    def action_allow(self) -> None:
        """Allows the request once, or approves the plan."""
        kind = "approve" if self._request.tool == PLAN else "allow"
        if self._mode in ("confirm", "done"):
            self._reset_mode()
        elif kind not in self._request.kinds:
            self._set_mode("", "it asks a question: choose with the number keys")
        else:
            self._set_mode("")
            self._decide(Decision(kind=kind))

    def action_deny(self) -> None:
        """Opens the input for a denial; the reason may stay empty."""
        if self._mode != "done":
            self._open_line("reason", "why not, for the model to read; may stay empty")

    def action_always(self) -> None:
        """Opens the menu of what the client suggests to allow from now on."""
        if self._mode == "done":
            return
        if "always" not in self._request.kinds:
            self._set_mode("", "Claude Code suggests nothing to allow from now on")
            return
        before = len(self._text.lines)
        self._set_mode("suggestions")
        self._body.scroll_to(y=before, animate=False)

    def action_sure(self) -> None:
        """Confirms a yes to a dangerous request."""
        if self._mode == "confirm" and self._pending is not None:
            self._decide(self._pending)

    def action_choose(self, key: str) -> None:
        """Chooses an option of a question, or a suggestion."""
        number = int(key) - 1
        if self._mode == "suggestions":
            if number < len(self._request.suggestions):
                self._decide(Decision(kind="always", suggestions=(number,)))
        elif self._mode in ("confirm", "done"):
            self._reset_mode()
        elif self._choices.questions:
            self._choose_option(number)

    def _choose_option(self, number: int) -> None:
        options = len(self._choices.question.options)
        if number == options:
            self.action_other()
        elif number > options:
            self._set_mode("", f"there are {format_count(options, 'option')}, and {options + 1} is for other words")
        else:
            self._set_choices(self._choices.toggle_option(number), next_question=not self._choices.question.multi)

    def _set_choices(self, choices: Choices, *, next_question: bool) -> None:
        """Stores a choice; sends it at once if it answers the whole request."""
        self._choices = choices
        if choices.single:
            self._set_mode("")
            self._decide(Decision(kind="answer", answers=choices.answers))
        else:
            self._show_question(choices.unanswered[0] if next_question and choices.unanswered else choices.current)

    def _show_question(self, number: int, notice: str = "") -> None:
        self._choices = self._choices.go_to_question(number)
        self._set_mode("", notice)
        lines = [at for at, each in enumerate(self._text.lines) if each.row == ("question", self._choices.current)]
        if lines:
            region = Region(0, lines[0], 1, len(self._choices.question.options) + 2)
            self._body.scroll_to_region(region, animate=False)

    def action_other(self) -> None:
        """Opens the input for an answer in the user's own words."""
        if self._choices.questions and self._mode != "done":
            self._open_line("other", "your own answer", self._choices.written.get(self._choices.current, ""))

    def action_send(self) -> None:
        """Sends the answers if all questions have one."""
        if self._mode == "done":
            self._leave()
        elif not self._choices.questions or self._mode:
            self._reset_mode()
        elif left := self._choices.unanswered:
            self._show_question(left[0], f"{format_count(len(left), 'question')} without an answer")
        else:
            self._decide(Decision(kind="answer", answers=self._choices.answers))

    # The line to write in

    def _open_line(self, mode: Mode, placeholder: str, text: str = "") -> None:
        self._line.open(placeholder, text)
        self._set_mode(mode)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Uses the text of the input."""
        text, mode = message.value.strip(), self._mode
        if mode == "reason":
            self._decide(Decision(kind="deny", message=text))
        elif mode == "other":
            self._set_mode("")
            choices = self._choices.set_text(text)
            if text:
                self._set_choices(choices, next_question=True)
            else:
                self._choices = choices
                self._paint()
        elif mode == "done":
            self._leave()

    # Modes, requests, questions

    def _set_mode(self, mode: Mode, notice: str = "") -> None:
        if mode != "confirm":
            self._pending = None
        if mode not in ("reason", "other"):
            self._line.close()
        self._mode, self._notice = mode, notice
        self._keys.set_shown(self, self._shown_key)
        self._paint()

    @property
    def _shown_key(self) -> str:
        """What a yes means now; each meaning has to be visible for a moment before a key counts."""
        nonce = self._request.nonce
        return f"{nonce} {self._mode}" if self._mode in ("confirm", "suggestions") else nonce

    def _reset_mode(self) -> None:
        if self._mode != "done":
            self._set_mode("")

    def action_back(self) -> None:
        """Goes back to the request, or closes the dialog; the request stays open."""
        self._leave() if self._mode in ("", "done") else self._set_mode("")

    def action_close(self) -> None:
        """Closes the dialog; the request stays open."""
        self._leave()

    def action_next_request(self) -> None:
        """Shows the next request of this session."""
        self._switch_request(+1)

    def action_previous_request(self) -> None:
        """Shows the previous request of this session."""
        self._switch_request(-1)

    def _switch_request(self, step: int) -> None:
        nonces = [each.nonce for each in self._siblings]
        if self._mode == "done" or self._given is not None or self._request.nonce not in nonces or len(nonces) < 2:
            return
        self._start(self._siblings[(nonces.index(self._request.nonce) + step) % len(nonces)])
        self._keys.set_shown(self, self._request.nonce)
        self._read_plan()
        self._body.scroll_home(animate=False)
        self._set_mode("")

    def action_question(self, step: int) -> None:
        """Shows another question."""
        if self._choices.questions and self._mode == "":
            self._show_question(self._choices.current + step)

    # Paint

    def _paint(self) -> None:
        if self.size.width < 1:
            return
        suggestions = self._mode == "suggestions" or (self._pending is not None and self._pending.kind == "always")
        layout = fit_layout(*self.size, suggestions=suggestions)
        self._text.update(self._monitor.fleet, self._monitor.now(), layout, self._choices, self._plan)
        self._writer.start()
        self._lines.show(self._text.lines, self._text.width)
        around = 4 + (2 if layout.spaced else 0) + self._line.display
        self._body.styles.height = max(1, min(len(self._text.lines), self.size.height - around))
        self._frame.border_title = Content(
            clean(write_title(self._request)) + find_number(self._request, self._siblings)
        )
        self._show_footer()
        self.call_after_refresh(self._mark_seen)

    def _mark_seen(self, _: float = 0.0) -> None:
        """Marks the lines in view as seen; not in a narrow window, where lines are wrapped by the terminal."""
        if not self._lines.is_whole:
            return
        top = round(self._body.scroll_offset.y)
        height = min(self._body.scrollable_content_region.height, self._body.size.height)
        if self.is_active and height > 0 and self._text.mark_seen(top, height):
            self._show_footer()

    def _show_footer(self) -> None:
        counts, sign = (len(self._text.unseen), len(self._siblings)), self._glyphs.warning
        no_yes, keys = self._text.explain_not_whole(), self._keys.commands.keys_by_id
        state = DialogState(self._request, self._mode, self._notice, *counts, self._choices, sign, no_yes, keys)
        self._footer.show(*describe_state(state))
