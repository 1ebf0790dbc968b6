"""The queue above the tree: which sessions wait for you, for what and how long, longest wait first.

It appears with the first wait; then it keeps its height, so that later waits move no row below it.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from textual.events import Click, Resize
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.text import FINE_UNTIL, clean, fit_width, format_age
from atm_tui.view.aged_lines import AgedLines
from atm_tui.view.clocks import Clock, VisibleClocks
from atm_tui.view.present import (
    Glyphs,
    Part,
    choose_session_glyph,
    fade,
    find_agent_name,
    fit_parts,
    write_session_status,
    write_wait,
)
from atm_tui.view.whole_request import find_first_wait, fits, names_whole
from atm_tui.widgets.fleet_view import is_in_view
from atm_tui.widgets.line_list import LineStyles, render_without_rules
from atm_tui.widgets.painting import collects_cells, locate, show_cells

ROWS = 5
"""Most rows on a large screen."""
FEW_ROWS = 2
"""Most rows on a screen of 80x24, and on a lower one that has room for a list besides."""
LOW = 16
"""Height of the screen (lines) below which there is room for one row only."""
LEAST_HEIGHT = 10
"""Height of the screen (lines) below which the list needs them all."""
_REASON = 14
_AGE = 5
"""Cells of each of these columns."""
_LEAST_WHAT = 11
"""Cells in which the longest reason is whole, and a sign that more follows."""


def compute_max_rows(width: int, height: int) -> int:
    """Returns the most rows on a screen of this size (cells): a small one shows at least who waits first."""
    if height < LEAST_HEIGHT:
        return 0
    if height < LOW:
        return 1
    return ROWS if width >= 100 and height >= 30 else FEW_ROWS


def write_who(session: Session, glyphs: Glyphs) -> list[Part]:
    """Writes project, session and, if one of its agents asks, its name: shop/my-feature ▸ Explore."""
    project = clean(session.project.name)
    parts: list[Part] = [(f"{project}/", "muted")] if project else []
    parts.append((clean(session.name), "strong"))
    agent = find_agent_name(session, session.waits[0].agent_id) if session.waits else None
    return [*parts, (f" {glyphs.folded} ", "muted"), (agent, "plain")] if agent else parts


def write_what(session: Session, glyphs: Glyphs) -> list[Part]:
    """Writes the reason, the number of further waits, then tool and input."""
    if session.problem or not session.waits:
        return write_session_status(session, glyphs)
    first, *others = session.waits
    (reason, role), *rest = write_wait(first)
    shown = f"{reason} +{len(others)}" if others else reason
    return [
        (fit_width(shown, max(_REASON, cell_len(shown) + 1)), role),
        *((text.lstrip() + "  ", as_) for text, as_ in rest),
    ]


def compute_column_widths(width: int) -> tuple[int, int]:
    """Returns the widths of the columns "who" and "what" in a row of `width` cells; from 40 on, "what" has room for a reason."""
    around = 3 + 2 + _AGE + 2
    name = min(44, max(min(20, width - around - _LEAST_WHAT), width * 2 // 5))
    return name, width - around - name


def write_row(session: Session, age: str, width: int, glyphs: Glyphs, *, here: bool = False) -> list[Part]:
    """Writes a line of `width` cells: glyph, who, what, how long (`age`). `here`: whether it can be answered here."""
    name, words = compute_column_widths(width)
    parts = [
        (" ", "plain"),
        choose_session_glyph(session, glyphs),
        (" ", "plain"),
        *fit_parts(write_who(session, glyphs), name),
        (f"{glyphs.armed} " if here else "  ", "armed"),
        *fit_parts(write_what(session, glyphs), words),
        (" ", "plain"),
        (fit_width(age, _AGE, right=True), "plain"),
        (" ", "plain"),
    ]
    return fade(session, parts)


def format_wait(session: Session, now: float) -> str:
    """Formats for how long a session has waited at `now` (epoch seconds)."""
    return format_age(now - session.since, FINE_UNTIL) if session.since > 0 else ""


class Queue(Widget):
    """One row for each session that needs you, as many as fit. It can't have the focus; a click on a row selects its session."""

    ALLOW_SELECT = False

    class Picked(Message):
        """A row was clicked; `twice`: by a double click."""

        def __init__(self, session_id: str, *, twice: bool) -> None:
            super().__init__()
            self.session_id = session_id
            self.twice = twice

    def __init__(self, glyphs: Glyphs, now: Callable[[], float]) -> None:
        """`now`: returns the time in epoch seconds."""
        super().__init__(id="queue")
        self._glyphs = glyphs
        self._now = now
        self._waiting: Sequence[Session] = ()
        self._most = 0
        self._rows = 0
        self._here: frozenset[str] = frozenset()
        self._shown: list[list[Part]] = []
        """Its lines, without ages."""
        self._ages: list[str] = []
        """The age in each line; the title has none."""
        self._strips: dict[int, tuple[list[Part], Strip]] = {}
        self._styles = LineStyles(self)
        self._aged: AgedLines[int] = AgedLines()

    @property
    def lines(self) -> int:
        """Number of its lines, including the title."""
        return self._rows + 1 if self._rows else 0

    def show(
        self,
        waiting: Sequence[Session],
        most: int,
        here: frozenset[str] = frozenset(),
        *,
        keeps: bool = False,
    ) -> None:
        """Updates the rows. `waiting`: longest wait first; `most`: largest number of rows.

        `here`: ids of the sessions that can be answered here. `keeps`: the height must not shrink.
        """
        self._waiting, self._most, self._here = waiting, most, here
        self._rows = min(max(len(waiting), self._rows if keeps else 0), most)
        self.display = self.lines > 0
        self.styles.height = self.lines
        self._paint()

    def counts_seconds(self, now: float) -> bool:
        """Returns whether the age of a row in view is shown in seconds."""
        return any(now - each.since <= FINE_UNTIL for each in self._waiting[: self._most])

    def add_clocks(self, clocks: VisibleClocks) -> None:
        """Adds the ages that are shown in seconds."""
        if (place := locate(self)) is None:
            return
        left, top = place
        for y, each in enumerate(self._waiting[: self._most], 1):
            if each.since > 0 and clocks.now - each.since < FINE_UNTIL:
                clocks.add(Clock(left + self.size.width - _AGE - 1, top + y, _AGE, each.since, FINE_UNTIL))

    def tick(self, _: float) -> None:
        """Updates the ages."""
        if self._waiting:
            self._show_ages()

    def on_resize(self, _: Resize) -> None:
        """Writes the rows for the new width."""
        self._paint()

    def _paint(self) -> None:
        width = self.size.width
        if width < 1 or not self.lines:
            return
        rows = self._waiting[: self._most]
        lines = [self._write_title(len(self._waiting) - len(rows), width)]
        lines += [write_row(each, "", width, self._glyphs, here=each.session_id in self._here) for each in rows]
        before, self._shown = self._shown, lines
        for y, (line, old) in enumerate(zip_longest(lines, before)):
            if line != old:
                self.refresh(Region(0, y, width, 1))
        self._show_ages()

    def _show_ages(self) -> None:
        """Renders the ages that changed."""
        before, left, now = self._ages, self.size.width - _AGE - 1, self._now()
        self._ages = ["", *(format_wait(each, now) for each in self._waiting[: self._most])]
        changed = [y for y, (age, old) in enumerate(zip_longest(self._ages, before)) if age != old]
        if not changed or not self.lines or left <= 0:
            return
        if collects_cells(self) and all(y < len(self._ages) and self._aged.find_age(y) is not None for y in changed):
            parts = ((y, self._aged.change_age(y, self._ages[y], left, _AGE)) for y in changed)
            show_cells(self, [(part[0], y, part[1]) for y, part in parts if part])
        else:
            self.refresh(*(Region(left, y, _AGE, 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Renders rows of the widget; when only an age changed, only the age."""
        strips = render_without_rules(self, crop)
        strips = super().render_lines(crop) if strips is None else strips
        left, now = self.size.width - _AGE - 1 - crop.x, self._now()
        for y in range(max(1, crop.y), min(crop.bottom, len(self._ages), len(self._waiting) + 1)):
            self._ages[y] = format_wait(self._waiting[y - 1], now)
        return [
            self._aged.place_age(y, strip, self._ages[y], left, _AGE) if 0 < y < len(self._ages) else strip
            for y, strip in zip(crop.line_range, strips, strict=False)
        ]

    def render_line(self, y: int) -> Strip:
        """Renders the title, or a row without its age."""
        parts: list[Part] = self._shown[y] if y < len(self._shown) else []
        kept = self._strips.get(y)
        if kept is None or kept[0] != parts or kept[1].cell_length != self.size.width:
            kept = self._strips[y] = (parts, self._styles.render(parts, self.size.width, self.visual_style))
        return kept[1]

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._styles.forget()
        self._strips.clear()

    def _write_title(self, more: int, width: int) -> list[Part]:
        rule = self._glyphs.rule
        title: Part = ("waiting for you ", "needs") if self._waiting else ("nobody waits ", "faint")
        left: list[Part] = [(f"{rule} ", "rule"), title]
        right: list[Part] = [(f" +{more} more ", "needs"), (rule, "rule")] if more else []
        fill = width - sum(cell_len(text) for text, _ in [*left, *right])
        return [*left, (rule * max(0, fill), "rule"), *right]

    def shows_whole(self, request: Request) -> bool:
        """Returns whether a row shows all of a request, uncut."""
        rows = self._waiting[: self._most]
        place = next((at for at, each in enumerate(rows) if each.session_id == request.session_id), None)
        width = self.size.width
        if place is None or place >= self._rows:
            return False
        session, (_, room) = rows[place], compute_column_widths(width)
        return (
            names_whole(find_first_wait(session), request)
            and fits(write_what(session, self._glyphs), room)
            and is_in_view(self, Region(0, 1 + place, width, 1))
        )

    def on_click(self, event: Click) -> None:
        """Reports the session whose row was clicked."""
        at = event.y - 1
        if 0 <= at < min(self._rows, len(self._waiting)):
            self.post_message(self.Picked(self._waiting[at].session_id, twice=event.chain == 2))
