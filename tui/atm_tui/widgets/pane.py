"""A pane: a titled rule, and lines about the selected row that fill the width exactly."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from atm_tui.present import Glyphs, Part, content, cut, fit, fit_parts, wrap
from atm_tui.widgets.subject import Subject

LABEL = 8
"""Cells of the labels on the left of a pane."""

AMOUNT = 13
"""Cells of a label with a figure."""

Line = list[Part]


@dataclass(frozen=True)
class Paper:
    """What a pane needs to write its lines."""

    width: int
    now: float
    glyphs: Glyphs
    thresholds: tuple[int, int, int]
    home: str
    budget: float = 0.0
    """USD that a session may cost; 0: no limit."""

    def pair(self, label: str, value: str, role: str = "plain") -> Line:
        """A label and its value on one line."""
        return [(fit(label, LABEL), "faint"), (cut(value, self.width - LABEL), role)]

    def text(self, label: str, value: str, lines: int, role: str = "plain") -> list[Line]:
        """A label and a text of several lines beside it."""
        wrapped = wrap(value, self.width - LABEL, lines)
        return [[(fit("" if at else label, LABEL), "faint"), (text, role)] for at, text in enumerate(wrapped)]

    def aside(self, parts: Line, remark: str) -> Line:
        """Parts with a faint remark at the right end, where there is room for it."""
        room = self.width - sum(cell_len(text) for text, _ in parts)
        return [*parts, (fit(remark, room, right=True), "faint")] if room >= cell_len(remark) + 2 else parts

    def amount(self, label: str, value: str, role: str = "plain") -> Line:
        """A label, and a figure right-aligned in a column of its own: AMOUNT cells."""
        return [(fit(label, LABEL), "faint"), (fit(value, AMOUNT - LABEL, right=True), role)]


Write = Callable[[Subject, Paper], list[Line]]


class Pane(Vertical):
    """Paints what `write` says of a subject; touches the screen only when that differs from before."""

    def __init__(self, title: str, write: Write, paper: Paper) -> None:
        super().__init__(id=title)
        self._title = title
        self._write = write
        self._paper = paper
        self._subject: Subject = None
        self._shown: list[Line] = []
        self._shown_head: tuple[str, int] = ("", 0)
        self._corner = ""
        self._head = Static(classes="pane-title")
        self._body = Static(classes="pane-body")

    def compose(self) -> ComposeResult:
        """Title and lines."""
        yield self._head
        yield self._body

    def show(self, subject: Subject, now: float, title: str | None = None) -> None:
        """Shows a subject as it stands at `now` (epoch seconds)."""
        self._subject = subject
        self._title = title or self._title
        self._paint(now)

    def join(self, corner: str) -> None:
        """What joins the title's rule to the line on its left; empty where there is none."""
        if corner != self._corner:
            self._corner = corner
            self._paint(self._paper.now)

    def on_resize(self, _: Resize) -> None:
        """Writes its lines for the new width."""
        self._paint(self._paper.now)

    def _paint(self, now: float) -> None:
        rule, width = self._paper.glyphs.rule, self.size.width
        start = f"{self._corner}{rule}" if self._corner else rule
        if width < LABEL:
            return
        title = cut(self._title, width - 6)
        if (self._corner + title, width) != self._shown_head:
            self._shown_head = (self._corner + title, width)
            rest = rule * max(0, width - len(start) - len(content((title, "title"))) - 2)
            self._head.update(content((f"{start} ", "rule"), (title, "title"), (f" {rest}", "rule")), layout=False)
        inner = width - self._body.gutter.width
        self._paper = replace(self._paper, width=inner, now=now)
        # Whatever a line holds, it is cut with a mark rather than clipped.
        written = self._write(self._subject, self._paper) if inner > LABEL else []
        lines = [fit_parts(line, inner) for line in written]
        self.display = bool(lines) or self._subject is None
        fits = len(lines) == self._body.content_size.height
        if lines != self._shown or not fits:
            self._shown = lines
            self._body.update(Content("\n").join(content(*each) for each in lines), layout=not fits)
