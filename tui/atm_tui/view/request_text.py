"""The lines of the request dialog, and which of them were seen."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.view.present import Glyphs, find_agent_name
from atm_tui.view.request import Section, describe_asker, find_wait, is_shown_whole
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_limit import is_longer
from atm_tui.view.request_lines import PlacedLine, find_seen, write, write_key

SHORT = 5_000
"""Most characters of a request that is written at once, in a few milliseconds."""
TOO_LONG = "it is too long to be shown whole: allow it in its pane"
NOT_READY = "its text is still being prepared"
WIDTH = 110
"""Largest width of the box in cells; the same as in the style sheet."""
FRAME = 7
"""Cells of border, padding and scrollbar of the box."""
NARROW = 20
"""Least width of a line in cells; in a narrower window it takes two lines of the screen."""
SPACED_FROM = 20
"""Height of the screen (lines) from which on the box has empty lines."""
LOADING = "preparing the whole request …"
"""Shown until the lines of a long request are ready."""


@dataclass(frozen=True)
class TextLayout:
    """How the text is laid out, and which sections it has."""

    width: int
    """Width of a line in cells."""
    spaced: bool
    """Whether there is an empty line between the sections."""
    suggestions: bool
    """Whether what can be allowed from now on is shown."""


def fit_layout(width: int, height: int, *, suggestions: bool) -> TextLayout:
    """Returns the layout for a screen of this size in cells."""
    return TextLayout(max(NARROW, min(width, WIDTH) - FRAME), height >= SPACED_FROM, suggestions)


@dataclass(frozen=True)
class BodySource:
    """All input for the lines below the head of a request."""

    request: Request
    home: str
    """The folder that is shown as ~."""
    glyphs: Glyphs
    dangers: Sequence[str]
    risks: Sequence[Sequence[str]]
    layout: TextLayout
    choices: Choices
    plan: tuple[str, str] | None
    last_reply: str

    @property
    def is_long(self) -> bool:
        """Whether writing it may block the event loop for too long."""
        texts = (self.request.input, self.request.suggestions, self.plan or "", self.last_reply)
        return is_longer(texts, SHORT)


@dataclass(frozen=True)
class Body:
    """The lines below the head of a request."""

    source: BodySource
    lines: list[PlacedLine]
    is_whole: bool
    """False: the request is too long, and part of it is left out."""


def write_body(source: BodySource) -> Body:
    """Writes the lines below the head; takes up to a second for a long request, so call it in a thread then."""
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

    def write_sections(sections: Sequence[Section]) -> list[PlacedLine]:
        return write(
            sections, layout.width, source.glyphs, source.choices, offers=layout.suggestions, spaced=layout.spaced
        )

    lines = write_sections([first, *sections])[len(write_sections([first])) :]
    return Body(source, lines, is_shown_whole(sections))


class RequestText:
    """The lines of one request. At first none is seen; what was seen stays seen when lines are wrapped to another width."""

    def __init__(self, request: Request, glyphs: Glyphs, home: str) -> None:
        """`home`: the folder that is shown as ~."""
        self._request = request
        self._glyphs = glyphs
        self._home = home
        self.lines: list[PlacedLine] = []
        self.width = 0
        """Width of the lines in cells."""
        self._head_count = 0
        """Number of lines that belong to the head."""
        self._head: list[PlacedLine] = []
        self._shown_body: list[PlacedLine] | None = None
        self._source: BodySource | None = None
        """The input for the body that is shown next."""
        self._body: Body | None = None
        self._seen: set[int] = set()

    @property
    def unseen(self) -> list[int]:
        """Indices of the lines that have not been on the screen yet."""
        return [at for at in range(len(self.lines)) if at not in self._seen]

    @property
    def missing(self) -> BodySource | None:
        """The input for a body that still has to be written; None: the lines are complete."""
        return None if self._body is not None and self._body.source == self._source else self._source

    def explain_not_whole(self) -> str:
        """Returns why the lines are not the whole request, which then can't be allowed; empty if they are."""
        if self.missing is not None or self._body is None:
            return NOT_READY
        return "" if self._body.is_whole else TOO_LONG

    def mark_seen(self, top: int, height: int) -> bool:
        """Marks `height` lines from `top` on as seen; returns whether any is new."""
        before = len(self._seen)
        self._seen |= set(range(top, min(top + height, len(self.lines))))
        return len(self._seen) != before

    def update(
        self, fleet: Fleet, now: float, layout: TextLayout, choices: Choices, plan: tuple[str, str] | None
    ) -> None:
        """Updates the lines for `now` (epoch seconds), except a long body, which is then `missing`.

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
        self._head = write([first], shown.width, self._glyphs, Choices(), offers=False, spaced=shown.spaced)
        self._show(shown.width)

    def take_body(self, body: Body) -> None:
        """Shows a body that a thread wrote; ignores one of another request, or one that is out of date."""
        if body.source == self._source:
            self._body = body
            self._show(body.source.layout.width)

    def _show(self, width: int) -> None:
        body = self._body.lines if self._body is not None else [PlacedLine("loading", [(LOADING, "muted")])]
        self.width = width
        self._replace(self._head, body)

    def _replace(self, head: list[PlacedLine], body: list[PlacedLine]) -> None:
        """Replaces the lines; lines that were seen stay seen, and so do all lines of a row that was seen whole."""
        lines, count = [*head, *body], self._head_count
        if lines == self.lines:
            return
        if body is self._shown_body:
            behind = {at - count + len(head) for at in self._seen if at >= count}
            self._seen = behind | _keep_seen(self.lines[:count], {at for at in self._seen if at < count}, head)
        else:
            self._seen = _keep_seen(self.lines, self._seen, lines)
        self.lines, self._head_count, self._shown_body = lines, len(head), body


def _keep_seen(before: list[PlacedLine], numbers: Set[int], now: list[PlacedLine]) -> set[int]:
    """Returns the indices of the lines of `now` that were seen, in this or another wrapping."""
    pieces, rows = find_seen(before, numbers)
    return {at for at, (key, each) in enumerate(write_key(now)) if key in pieces or each.row in rows}
