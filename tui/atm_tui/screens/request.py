"""The request dialog: the whole of what a session asks, and the keys that answer it. Bound to one request at a time."""

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.widgets import Input

from atm_tui import commands, paths
from atm_tui.messages import Answer
from atm_tui.model.fleet import Delta
from atm_tui.model.request import ALIKE, PLAN, Answered, Decision, Request, questions
from atm_tui.monitor.protocol import Monitor
from atm_tui.screens.base import FleetScreen
from atm_tui.screens.request_keys import AnswerKeys
from atm_tui.sources.plan import find_plan
from atm_tui.view.answer_messages import IN_ITS_PANE, Action, outcome_words, why_gone
from atm_tui.view.present import Glyphs, agent_name_of, clean, count
from atm_tui.view.request import Section, about, asked, title
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_lines import Placed, keyed, seen, write
from atm_tui.widgets.request_footer import Foot, RequestFooter, foot
from atm_tui.widgets.request_lines import RequestLines

WIDTH = 110
"""The widest that the box gets, in cells; as in the style sheet."""
FRAME = 7
"""Border, padding and scrollbar of the box."""
NARROW = 20
"""Cells that a line has at least; in a narrower window it takes two of the screen's."""
AIRY = 20
"""Lines of the screen from which on there is air in the box."""
FAREWELL = 1.5
"""Seconds for which a dialog that is over says why before it closes."""
REASON = 2000
"""Characters of a reason for a no that are taken."""


class RequestScreen(ModalScreen[str], FleetScreen):
    """Nothing is chosen by default; a yes is taken once all has been seen, and twice where it looks dangerous.

    Dismissed with why the request is over, where that was not this app's doing.
    """

    AUTO_FOCUS: ClassVar[str | None] = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.request_bindings(),
        Binding("escape", "back", show=False),
        Binding("q", "close", show=False),
        Binding("tab", "question(1)", show=False),
        Binding("shift+tab", "question(-1)", show=False),
        Binding("down,j", "scroll('down')", show=False),
        Binding("up,k", "scroll('up')", show=False),
        Binding("space,pagedown,ctrl+f", "scroll('page_down')", show=False),
        Binding("pageup,ctrl+b", "scroll('page_up')", show=False),
        Binding("home,g", "scroll('home')", show=False),
        Binding("end,G", "scroll('end')", show=False),
    ]

    def __init__(
        self,
        request: Request,
        monitor: Monitor,
        glyphs: Glyphs,
        keys: AnswerKeys,
        begin: Action | None = None,
    ) -> None:
        """`begin`: what was asked for when it was opened."""
        super().__init__()
        self._request = request
        self._monitor = monitor
        self._glyphs = glyphs
        self._keys = keys
        self._begin = begin
        self._home = str(paths.home())
        self._mode = ""
        """"" | sure | offers | reason | other | over"""
        self._pending: Decision | None = None
        self._given: Decision | None = None
        self._said = ""
        self._bind()
        self._frame = Vertical(id="request")
        self._body = VerticalScroll(id="request-body", can_focus=False)
        self._text = RequestLines()
        self._line = Input(id="request-line", max_length=REASON, compact=True, disabled=True)
        self._foot = RequestFooter(ascii_only=glyphs.ascii)

    def _bind(self) -> None:
        """Begins with a request: nothing of it is seen, nothing chosen."""
        self._choices = Choices(questions(self._request))
        self._plan: tuple[str, str] | None = None
        self._loaded = self._request.tool != PLAN
        self._lines: list[Placed] = []
        self._head = 0
        """How many of them say who asks."""
        self._laid: list[Placed] | None = None
        self._written: tuple[object, list[Placed]] | None = None
        self._seen: set[int] = set()
        self._mode, self._pending, self._said = "", None, ""

    def compose(self) -> ComposeResult:
        """The text, a line to write in, the keys."""
        with self._frame:
            with self._body:
                yield self._text
            yield self._line
            yield self._foot

    def on_mount(self) -> None:
        """Shows the request, and lets its age go on."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._line.display = False
        self.watch(self._body, "scroll_y", self._look, init=False)
        self.set_interval(1.0, self._paint)
        self._keys.face(self, self._request.nonce)
        self._load()

    def _load(self) -> None:
        """Looks for the text of a plan: it lies in a file of its own."""
        if not self._loaded:
            self.run_worker(self._find_plan(self._request), exclusive=True)

    async def _find_plan(self, request: Request) -> None:
        found = await asyncio.to_thread(find_plan, request)
        if request is self._request:
            self._plan, self._loaded = found, True
            self._paint()

    def on_resize(self, event: Resize) -> None:
        """Breaks the lines for the new width; what was seen stays seen."""
        self.set_class(event.size.height >= AIRY, "-airy")
        self._paint()
        begin, self._begin = self._begin, None
        if begin is Action.DENY:
            self.action_deny()
        elif begin is Action.ALWAYS:
            self.action_always()

    # The fleet

    @property
    def _siblings(self) -> tuple[Request, ...]:
        return self._monitor.fleet.requests_of(self._request.session_id)

    def fleet_changed(self, delta: Delta) -> None:  # noqa: ARG002 (the base's name)
        """Closes when the request is settled; another request never takes its place."""
        if self._mode != "over" and self._given is None and self._request.nonce not in self._monitor.fleet.requests:
            self._over(why_gone(self._monitor.fleet, self._request))
        else:
            self._paint()

    def answered(self, request: Request, decision: Decision, outcome: Answered) -> None:
        """Closes when the request is settled, at once when it was by this answer."""
        if request.nonce != self._request.nonce or self._mode == "over":
            return
        self._given = None
        if outcome is Answered.GIVEN:
            self._leave()
        elif outcome is Answered.VOID:
            self._turn("", outcome_words(decision, outcome))
        else:
            self._over(outcome_words(decision, outcome))

    def _over(self, words: str) -> None:
        """Says why it ends. A line that is being written is not torn away: its keys would be commands elsewhere."""
        writing = self._mode in ("reason", "other")
        self._mode, self._said = "over", words
        self._line.placeholder = ""
        if not writing:
            self.set_timer(FAREWELL, self._leave)
        self._paint()

    def _leave(self) -> None:
        if self.is_active:
            self.dismiss(self._said if self._mode == "over" else "")

    # Answers

    def _decide(self, decision: Decision) -> None:
        """Takes an answer: not before the request has stood here for a moment, a yes not before all of it was seen."""
        if self._given is not None:
            return
        if decision.kind not in self._request.kinds:
            self._turn("", f"{ALIKE}: {IN_ITS_PANE}")
            return
        if not self._loaded or not self._keys.settled(self, self._facing):
            self._said = "it has only just come: press again"
            self._foot_line()
            return
        if decision.kind != "deny":
            if self._unseen:
                self._on()
                return
            if self._pending is None and self._monitor.fleet.dangers_of(self._request, decision):
                self._keys.rest(frozenset({"a", *"123456789"}))
                self._pending = decision
                self._turn("sure")
                return
        self._given = decision
        self._keys.rest()
        self.post_message(Answer(self._request, decision))

    def _on(self) -> None:
        """To the first line that was not seen: no yes is taken before."""
        self._body.scroll_to(y=self._unseen[0], animate=False)
        self._keys.rest(frozenset({"a", "enter", "y", *"123456789"}))
        narrow = self.size.width < NARROW + FRAME
        self._turn(self._mode, ": make the window wider first" if narrow else ": see all of it first")

    def action_allow(self) -> None:
        """Yes, this once; to a plan: yes."""
        kind = "approve" if self._request.tool == PLAN else "allow"
        if self._mode in ("sure", "over"):
            self._turn_back()
        elif kind not in self._request.kinds:
            self._turn("", "it asks a question: choose with the number keys")
        else:
            self._turn("")
            self._decide(Decision(kind=kind))

    def action_deny(self) -> None:
        """No, and why; the line may stay empty."""
        if self._mode != "over":
            self._write("reason", "why not, for the model to read; may stay empty")

    def action_always(self) -> None:
        """Opens the menu of what the client itself suggests."""
        if self._mode == "over":
            return
        if "always" not in self._request.kinds:
            self._turn("", "the client suggests nothing to allow from now on")
            return
        before = len(self._lines)
        self._turn("offers")
        self._body.scroll_to(y=before, animate=False)

    def action_sure(self) -> None:
        """The second yes to what looks dangerous."""
        if self._mode == "sure" and self._pending is not None:
            self._decide(self._pending)

    def action_choose(self, key: str) -> None:
        """Takes an option of a question, or one of what can be allowed from now on."""
        number = int(key) - 1
        if self._mode == "offers":
            if number < len(self._request.suggestions):
                self._decide(Decision(kind="always", suggestions=(number,)))
        elif self._mode in ("sure", "over"):
            self._turn_back()
        elif self._choices.questions:
            self._choose(number)

    def _choose(self, number: int) -> None:
        options = len(self._choices.question.options)
        if number == options:
            self.action_other()
        elif number > options:
            self._turn("", f"there are {count(options, 'option')}, and {options + 1} is for other words")
        else:
            self._took(self._choices.take(number), on=not self._choices.question.multi)

    def _took(self, choices: Choices, *, on: bool) -> None:
        """One choice more: it is the answer where it is all that is asked; `on`: the next question is on."""
        self._choices = choices
        if choices.single:
            self._turn("")
            self._decide(Decision(kind="answer", answers=choices.answers))
        else:
            self._ask(choices.left[0] if on and choices.left else choices.current)

    def _ask(self, number: int, said: str = "") -> None:
        """To another question."""
        self._choices = self._choices.ask(number)
        self._turn("", said)
        lines = [at for at, each in enumerate(self._lines) if each.row == ("question", self._choices.current)]
        if lines:
            region = Region(0, lines[0], 1, len(self._choices.question.options) + 2)
            self._body.scroll_to_region(region, animate=False)

    def action_other(self) -> None:
        """An answer in words of one's own."""
        if self._choices.questions and self._mode != "over":
            self._write("other", "your own answer", self._choices.written.get(self._choices.current, ""))

    def action_send(self) -> None:
        """Sends the answers once all questions have one."""
        if self._mode == "over":
            self._leave()
        elif not self._choices.questions or self._mode:
            self._turn_back()
        elif left := self._choices.left:
            self._ask(left[0], f"{count(len(left), 'question')} without an answer")
        else:
            self._decide(Decision(kind="answer", answers=self._choices.answers))

    # A line to write in

    def _write(self, mode: str, placeholder: str, text: str = "") -> None:
        self._line.value, self._line.placeholder = text, placeholder
        self._line.disabled, self._line.display = False, True
        self._line.focus()
        self._turn(mode)

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """The line is written."""
        text, mode = message.value.strip(), self._mode
        if mode == "reason":
            self._decide(Decision(kind="deny", message=text))
        elif mode == "other":
            self._turn("")
            choices = self._choices.write(text)
            if text:
                self._took(choices, on=True)
            else:
                self._choices = choices
                self._paint()
        elif mode == "over":
            self._leave()

    # Around

    def _turn(self, mode: str, said: str = "") -> None:
        """Shows another part of the dialog."""
        if mode != "sure":
            self._pending = None
        if mode not in ("reason", "other") and self._line.display:
            self._line.disabled, self._line.display = True, False
            self.set_focus(None)
        self._mode, self._said = mode, said
        self._keys.face(self, self._facing)
        self._paint()

    @property
    def _facing(self) -> str:
        """What a yes is for now: the second one, and one from now on, has to stand here for a moment too."""
        return f"{self._request.nonce} {self._mode}" if self._mode in ("sure", "offers") else self._request.nonce

    def _turn_back(self) -> None:
        if self._mode != "over":
            self._turn("")

    def action_back(self) -> None:
        """Back to the request, or out of it: it stays open, in its pane too."""
        if self._mode in ("", "over"):
            self._leave()
        else:
            self._turn("")

    def action_close(self) -> None:
        """Out of it."""
        self._leave()

    def action_next_request(self) -> None:
        """The next that this session asks."""
        self._go(+1)

    def action_previous_request(self) -> None:
        """The one before."""
        self._go(-1)

    def _go(self, step: int) -> None:
        nonces = [each.nonce for each in self._siblings]
        if self._mode == "over" or self._given is not None or self._request.nonce not in nonces or len(nonces) < 2:
            return
        self._request = self._siblings[(nonces.index(self._request.nonce) + step) % len(nonces)]
        self._bind()
        self._keys.face(self, self._request.nonce)
        self._load()
        self._body.scroll_home(animate=False)
        self._turn("")

    def action_question(self, step: int) -> None:
        """To another question."""
        if self._choices.questions and self._mode == "":
            self._ask(self._choices.current + step)

    def action_scroll(self, where: str) -> None:
        """By a line, by a page, or to an end."""
        getattr(self._body, f"scroll_{where}")(animate=False)

    # Paint

    @property
    def _unseen(self) -> list[int]:
        return [at for at in range(len(self._lines)) if at not in self._seen]

    def _paint(self) -> None:
        if self.size.width < 1:
            return
        request, fleet = self._request, self._monitor.fleet
        session = fleet.sessions.get(request.session_id)
        agent = (agent_name_of(session, request.agent_id) or "") if session else ""
        width = max(NARROW, min(self.size.width, WIDTH) - FRAME)
        airy = self.size.height >= AIRY
        offers = self._mode == "offers" or (self._pending is not None and self._pending.kind == "always")
        shown = about(request, self._monitor.now(), session.name if session else "", agent, self._home)
        head = write([shown], width, self._glyphs, Choices(), offers=False, airy=airy)
        last_reply = session.last_reply if session else ""
        self._lay(head, self._rest(shown, (width, airy, offers, self._choices, self._plan, last_reply)), width)
        around = 4 + (2 if airy else 0) + self._line.display
        self._body.styles.height = max(1, min(len(self._lines), self.size.height - around))
        siblings = [each.nonce for each in self._siblings]
        which = f" · {siblings.index(request.nonce) + 1} of {len(siblings)}" if request.nonce in siblings[1:] else ""
        if not which and len(siblings) > 1 and request.nonce in siblings:
            which = f" · 1 of {len(siblings)}"
        self._frame.border_title = Content(clean(title(request)) + which)
        self._foot_line()
        self.call_after_refresh(self._look)

    def _rest(self, shown: Section, how: tuple[int, bool, bool, Choices, tuple[str, str] | None, str]) -> list[Placed]:
        """The lines behind `shown`; the same as before as long as nothing of `how` differs."""
        request, fleet = self._request, self._monitor.fleet
        dangers, risks = fleet.dangers.get(request.nonce, ()), fleet.risks.get(request.nonce, ())
        if self._written is None or self._written[0] != (request.nonce, dangers, risks, how):
            width, airy, offers, choices, plan, last_reply = how
            _, *sections = asked(
                request, now=0.0, home=self._home, dangers=dangers, risks=risks, plan=plan, last_reply=last_reply
            )
            head = len(write([shown], width, self._glyphs, choices, offers=offers, airy=airy))
            lines = write([shown, *sections], width, self._glyphs, choices, offers=offers, airy=airy)[head:]
            self._written = ((request.nonce, dangers, risks, how), lines)
        return self._written[1]

    def _lay(self, head: list[Placed], rest: list[Placed], width: int) -> None:
        """New lines: a piece that was seen is seen, and so is a row of which all was seen, however it is broken now."""
        lines, number = [*head, *rest], self._head
        if lines == self._lines:
            return
        if rest is self._laid:
            behind = {at - number + len(head) for at in self._seen if at >= number}
            self._seen = behind | _still_seen(self._lines[:number], {at for at in self._seen if at < number}, head)
        else:
            self._seen = _still_seen(self._lines, self._seen, lines)
        self._lines, self._head, self._laid = lines, len(head), rest
        self._text.show(lines, width)

    def _look(self, _: float = 0.0) -> None:
        """What stands on the screen now is seen. Where a line takes two there, as in a narrow window, nobody knows which."""
        if not self._text.is_whole:
            return
        top = round(self._body.scroll_offset.y)
        height = min(self._body.scrollable_content_region.height, self._body.size.height)
        if self.is_active and self._lines and height > 0:
            before = len(self._seen)
            self._seen |= set(range(top, min(top + height, len(self._lines))))
            if len(self._seen) != before:
                self._foot_line()

    def _foot_line(self) -> None:
        state = Foot(
            self._request,
            self._mode,
            self._said,
            len(self._unseen),
            len(self._siblings),
            self._choices,
            self._glyphs.warning,
        )
        self._foot.show(*foot(state))


def _still_seen(before: list[Placed], numbers: set[int], now: list[Placed]) -> set[int]:
    """Which lines were seen in these or other pieces."""
    pieces, rows = seen(before, numbers)
    return {at for at, (key, each) in enumerate(keyed(now)) if key in pieces or each.row in rows}
