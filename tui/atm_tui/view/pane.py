"""What all panes share: the context in which they are rendered, and the description of their content."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from rich.cells import cell_len

from atm_tui.cost.limits import Account
from atm_tui.text import cut_width, fit_width, wrap_text
from atm_tui.view.pane_heights import ALL
from atm_tui.view.present import Glyphs, Part
from atm_tui.view.subject import Subject

LABEL = 8
"""Width in cells of the labels on the left of a pane."""

FIGURE = 5
"""Width in cells of a figure beside a label."""

READING = "reading the transcript…"
"""Shown in place of figures that are not known yet."""

WHOLE = 200
"""More lines than any text has."""

Line = list[Part]


class RenderContext(msgspec.Struct, frozen=True):
    """What a pane needs to write its lines, besides its subject."""

    width: int
    now: float
    glyphs: Glyphs
    thresholds: tuple[int, int, int]
    home: str
    budget: float = 0.0
    """USD that a session may cost; 0: no limit."""
    accounts: tuple[Account, ...] = ()
    """The limits of all accounts."""
    whole: bool = False
    """Whether the pane has the focus and can scroll: then long text is not cut."""

    def limit_lines(self, lines: int) -> int:
        """Returns how many lines a text may take: `lines`, or any number while the pane has the focus."""
        return WHOLE if self.whole else lines

    def write_pair(self, label: str, value: str, role: str = "plain") -> Line:
        """Writes a label and its value on one line."""
        return [(fit_width(label, LABEL), "faint"), (cut_width(value, self.width - LABEL), role)]

    def write_text(self, label: str, value: str, lines: int, role: str = "plain") -> list[Line]:
        """Writes a label with a text of several lines beside it."""
        wrapped = wrap_text(value, self.width - LABEL, self.limit_lines(lines))
        return [[(fit_width("" if at else label, LABEL), "faint"), (text, role)] for at, text in enumerate(wrapped)]

    def add_remark(self, parts: Line, remark: str) -> Line:
        """Adds a faint remark at the right end, where there is room for it."""
        room = self.width - sum(cell_len(text) for text, _ in parts)
        return [*parts, (fit_width(remark, room, right=True), "faint")] if room >= cell_len(remark) + 2 else parts

    def write_amount(self, label: str, value: str, label_width: int = LABEL) -> Line:
        """Writes a label in `label_width` cells, and a right-aligned figure in FIGURE cells."""
        return [(fit_width(label, label_width), "faint"), (fit_width(value, FIGURE, right=True), "plain")]


Write = Callable[[Subject, RenderContext], list[Line]]


class Counting(NamedTuple):
    """A time in seconds at the end of a line."""

    word: str
    """The word with which the line begins, "" for the first line."""
    zero: float
    """When it is 0 seconds, in epoch seconds."""
    fine_until: float
    """As for `format_age`."""
    counts_down: bool = False


class PaneContent(msgspec.Struct, frozen=True):
    """What a pane shows, and how many lines it needs."""

    name: str
    write: Write
    count: Callable[[Subject], str | None] = lambda _: ""
    """The figure beside the title; None: the pane does not apply to this subject."""
    least: int = 3
    """Least number of lines with which the pane is shown."""
    enough: int = ALL
    """Number of lines that is enough while other panes have too few."""
    follows_clock: bool = False
    """Whether its text may change with every second."""
    write_clocks: Callable[[Subject, float], list[tuple[str, Part]]] = lambda _, __: []
    """Writes the last parts of lines that may change with every second, each with the word with which its line begins, "" for the
    first line, at a time in epoch seconds.
    """
    list_countings: Callable[[Subject, float], list[Counting]] = lambda _, __: []
    """Lists those of them that count seconds."""
    newest_last: bool = False
    """Whether the newest lines are last; then the pane stays at its end until the user scrolls away."""
