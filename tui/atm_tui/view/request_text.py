"""One request as the lines of the dialog, and which of them were seen. Pure."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.view.present import Glyphs, find_agent_name
from atm_tui.view.request import Section, describe_asker, find_wait, is_shown_whole
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_limit import is_longer
from atm_tui.view.request_lines import Placed, find_seen, write, write_key

SHORT = 5_000
"""Characters up to which a request is written at once, in some milliseconds."""
TOO_LONG = "it is too long to be shown whole: allow it in its pane"
NOT_READY = "its text is still being made"
WIDTH = 110
"""The widest that the box gets, in cells; as in the style sheet."""
FRAME = 7
"""Border, padding and scrollbar of the box."""
NARROW = 20
"""Cells that a line has at least; in a narrower window it takes two of the screen's."""
AIRY = 20
"""Lines of the screen from which on there are empty lines in the box."""
LOADING = "making the text of the whole request …"
"""Stands where the lines of a long request will."""


@dataclass(frozen=True)
class TextLayout:
    """How the text is laid out, and which parts of it there are."""

    width: int
    """Cells of a line."""
    airy: bool
    """With an empty line between the parts."""
    suggestions: bool
    """With what can be allowed from now on."""


def fit_layout(width: int, height: int, *, suggestions: bool) -> TextLayout:
    """The layout for a screen of this size, in cells."""
    return TextLayout(max(NARROW, min(width, WIDTH) - FRAME), height >= AIRY, suggestions)


@dataclass(frozen=True)
class BodySource:
    """All that the lines behind the head of a request are written from."""

    request: Request
    home: str
    """The folder that is written as ~."""
    glyphs: Glyphs
    dangers: Sequence[str]
    risks: Sequence[Sequence[str]]
    layout: TextLayout
    choices: Choices
    plan: tuple[str, str] | None
    last_reply: str

    @property
    def is_long(self) -> bool:
        """Whether writing it may take longer than an event loop may stop."""
        texts = (self.request.input, self.request.suggestions, self.plan or "", self.last_reply)
        return is_longer(texts, SHORT)


@dataclass(frozen=True)
class Body:
    """The lines behind the head of a request."""

    source: BodySource
    lines: list[Placed]
    is_whole: bool
    """False: the request is too long, and some of it is left out."""


def write_body(source: BodySource) -> Body:
    """Writes the lines behind the head; takes up to about a second for a long request, so that is done in a thread."""
    first, *sections = find_wait(
        source.request,
        now=0.0,
        home=source.home,
        dangers=source.dangers,
        risks=source.risks,
        plan=source.plan,
        last_reply=source.last_reply,
    )
    layout = source.layout

    def write_sections(sections: Sequence[Section]) -> list[Placed]:
        return write(sections, layout.width, source.glyphs, source.choices, offers=layout.suggestions, airy=layout.airy)

    lines = write_sections([first, *sections])[len(write_sections([first])) :]
    return Body(source, lines, is_shown_whole(sections))


class RequestText:
    """Begins with nothing seen. What was seen stays seen when the lines are broken for another width."""

    def __init__(self, request: Request, glyphs: Glyphs, home: str) -> None:
        """`home`: the folder that is written as ~."""
        self._request = request
        self._glyphs = glyphs
        self._home = home
        self.lines: list[Placed] = []
        self.width = 0
        """Cells of a line of `lines`."""
        self._head_count = 0
        """How many of them say who asks."""
        self._head: list[Placed] = []
        self._shown_body: list[Placed] | None = None
        self._source: BodySource | None = None
        """What the body has to be written from now."""
        self._body: Body | None = None
        self._seen: set[int] = set()

    @property
    def unseen(self) -> list[int]:
        """The numbers of the lines that were not on the screen yet."""
        return [at for at in range(len(self.lines)) if at not in self._seen]

    @property
    def missing(self) -> BodySource | None:
        """What a body has to be written from before the lines are those of the request; None: they are."""
        return None if self._body is not None and self._body.source == self._source else self._source

    def explain_not_whole(self) -> str:
        """Returns why the lines are not all of the request, so that no yes can be given; empty: they are."""
        if self.missing is not None or self._body is None:
            return NOT_READY
        return "" if self._body.is_whole else TOO_LONG

    def mark_seen(self, top: int, height: int) -> bool:
        """The lines from `top` on are on the screen, `height` of them; whether that shows any for the first time."""
        before = len(self._seen)
        self._seen |= set(range(top, min(top + height, len(self.lines))))
        return len(self._seen) != before

    def update(
        self, fleet: Fleet, now: float, layout: TextLayout, choices: Choices, plan: tuple[str, str] | None
    ) -> None:
        """Brings the lines up to `now` (epoch seconds), but for a long body, which is then `missing`.

        `plan`: the text of a plan and its file, once found.
        """
        request = self._request
        session = fleet.sessions.get(request.session_id)
        agent = (find_agent_name(session, request.agent_id) or "") if session else ""
        dangers, risks = fleet.dangers.get(request.nonce, ()), fleet.risks.get(request.nonce, ())
        last_reply = session.last_reply if session else ""
        source = BodySource(request, self._home, self._glyphs, dangers, risks, layout, choices, plan, last_reply)
        if source != self._source:
            self._source = source
            if not source.is_long:
                self._body = write_body(source)
        shown = self._body.source.layout if self._body is not None else layout
        first = describe_asker(request, now, session.name if session else "", agent, self._home)
        self._head = write([first], shown.width, self._glyphs, Choices(), offers=False, airy=shown.airy)
        self._show(shown.width)

    def take_body(self, body: Body) -> None:
        """Shows a body that was written elsewhere; one of another request, or that is out of date, is dropped."""
        if body.source == self._source:
            self._body = body
            self._show(body.source.layout.width)

    def _show(self, width: int) -> None:
        body = self._body.lines if self._body is not None else [Placed("loading", [(LOADING, "muted")])]
        self.width = width
        self._replace(self._head, body)

    def _replace(self, head: list[Placed], body: list[Placed]) -> None:
        """New lines: a piece that was seen is seen, and so is a row all of which was seen, however it is broken now."""
        lines, count = [*head, *body], self._head_count
        if lines == self.lines:
            return
        if body is self._shown_body:
            behind = {at - count + len(head) for at in self._seen if at >= count}
            self._seen = behind | _keep_seen(self.lines[:count], {at for at in self._seen if at < count}, head)
        else:
            self._seen = _keep_seen(self.lines, self._seen, lines)
        self.lines, self._head_count, self._shown_body = lines, len(head), body


def _keep_seen(before: list[Placed], numbers: Set[int], now: list[Placed]) -> set[int]:
    """The numbers of the lines of `now` that were seen in these or other pieces."""
    pieces, rows = find_seen(before, numbers)
    return {at for at, (key, each) in enumerate(write_key(now)) if key in pieces or each.row in rows}
