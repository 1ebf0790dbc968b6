"""Chooses the columns that fit into a width, and writes rows in them.

Column widths depend on the width of the line alone, so that columns don't move when values change.
"""

import re
from functools import lru_cache
from itertools import takewhile

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len

from atm_tui.config import TREE_COLUMNS
from atm_tui.text import PENDING, UNKNOWN, fit_width, format_money, format_percent
from atm_tui.view.present import Glyphs, Part, fit_parts, write_gauge
from atm_tui.view.row import Row

GAUGE = 4
PERCENT = 4
COST = 7
AGE = 5
"""Cells of each of these columns."""


class Layout(msgspec.Struct, frozen=True):
    """The columns that the user wants, in their order, and the widths in cells of those that have one of their own."""

    names: tuple[str, ...] = TREE_COLUMNS
    widths: tuple[tuple[str, int], ...] = ()


DEFAULT = Layout()


class Columns(msgspec.Struct, frozen=True):
    """Width of each column in cells, without the gaps of one or two blanks; 0: not shown."""

    width: int
    name: int
    note: int
    words: int
    draw_gauge: int
    percent: int
    cost: int
    age: int
    order: tuple[str, ...] = TREE_COLUMNS
    """The columns that are shown."""

    @property
    def age_at(self) -> int:
        """The cell at which the age begins."""
        at = 1
        for name in self.order:
            at += self.measure_gap(name)
            if name == "for":
                break
            at += self.measure(name)
        return at

    def measure(self, name: str) -> int:
        """Returns the width of a column by its name."""
        if name == "context":
            return self.draw_gauge + self.percent
        return {"session": self.name, "branch": self.note, "state": self.words, "cost": self.cost, "for": self.age}[
            name
        ]

    def measure_gap(self, name: str) -> int:
        """Returns the number of blanks before a column."""
        return 0 if name == self.order[0] else _GAPS[name]


_GAPS = {"session": 2, "branch": 2, "state": 2, "context": 2, "cost": 1, "for": 1}
_FROM = {"session": 0, "branch": 76, "state": 0, "context": 48, "cost": 66, "for": 48}
"""The width of a line from which on a column is shown."""
_LEAST = 16
"""Cells that the name keeps, whatever the widths of the user."""


@lru_cache(maxsize=8)
def fit_columns(width: int, layout: Layout = DEFAULT) -> Columns:
    """Returns the columns for a line of `width` cells.

    With less room the branch goes first, then the cost, then the gauge; from 40 to 48 cells name and state remain. Widths of the
    user hold as long as name and state keep enough room.
    """
    own = dict(layout.widths)
    order = tuple(each for each in layout.names if width >= _FROM[each])

    def take(name: str, cells: int) -> int:
        """Returns the cells of a column and the gap before it; 0 if it is not shown."""
        return 0 if name not in order else cells + (_GAPS[name] if name != order[0] else 0)

    percent_ = PERCENT if "context" in order else 0
    gauge_ = max(0, own.get("context", PERCENT + GAUGE) - PERCENT) if percent_ and width >= 56 else 0
    cost = own.get("cost", COST) if "cost" in order else 0
    age = own.get("for", AGE) if "for" in order else 0
    rest = max(0, width - 1 - take("context", percent_ + gauge_) - take("cost", cost) - take("for", age))
    note = min(own.get("branch", min(24, rest // 5)), rest // 2) if "branch" in order else 0
    rest = max(0, rest - take("branch", note) - take("session", 0) - take("state", 0))
    name = words = rest
    if "state" in order:
        name = max(_LEAST, min(own.get("session", min(44, rest // 2)), rest - _LEAST))
        if "state" in own and "session" not in own:
            name = max(_LEAST, rest - own["state"])
        words = max(0, rest - name)
    return Columns(width, name, note, words if "state" in order else 0, gauge_, percent_, cost, age, order)


def find_column(at: Columns, x: int) -> str:
    """Returns the column at a cell of the line; the blanks before a column belong to it."""
    end = 1
    for name in at.order:
        end += at.measure_gap(name) + at.measure(name)
        if x < end:
            return name
    return at.order[-1]


def write_headings(at: Columns, order: str = "") -> list[Part]:
    """Writes the line above the tree: the names of the columns, and the `order` of the rows."""
    parts = [" "]
    for name in at.order:
        width, text = at.measure(name), _HEADINGS[name]
        if name == "session":
            spelled = (f"  SESSION · {order}", f"  SESSION·{order}", f"  · {order}") if order else ("  SESSION",)
            text = next((each for each in spelled if len(each) <= width), spelled[-1])
        parts += [" " * at.measure_gap(name), fit_width(text, width, right=name in ("context", "cost", "for"))]
    return [("".join(parts), "faint")]


_HEADINGS = {"session": "SESSION", "branch": "BRANCH", "state": "STATE", "context": "CTX", "cost": "COST", "for": "FOR"}


def write_row(
    row: Row,
    at: Columns,
    age: str,
    glyphs: Glyphs,
    thresholds: tuple[int, int, int],
    *,
    selected: bool,
    number: str = "",
    marks: tuple[str, ...] = (),
) -> list[Part]:
    """Writes a row that fills the line. `age`: the text of its age; `number`: the key that selects it;
    `marks`: the words to highlight in its name.
    """
    if row.is_old:
        fresh = replace(row, is_old=False)
        first, *rest = write_row(fresh, at, age, glyphs, thresholds, selected=selected, number=number, marks=marks)
        return [first, *((text, "faint") for text, _ in rest)]
    parts: list[Part] = [(glyphs.cursor, "key") if selected else (number or " ", "faint")]
    if row.gap:
        return [(" " * at.width, "plain")]
    if row.spans:
        return [*parts, *_write_spanning(row, at, glyphs, marks)]
    for column in at.order:
        if gap := at.measure_gap(column):
            parts.append((" " * gap, "plain"))
        match column:
            case "session":
                parts += _write_name_and_signs(row, at.name, glyphs, marks)
            case "branch":
                parts += fit_parts([row.note], at.note)
            case "state":
                parts += fit_parts(row.words, at.words)
            case "context":
                parts += _write_context(row, at, glyphs, thresholds)
            case "cost":
                parts.append(_write_cost(row, at.cost))
            case "for":
                parts.append((fit_width(age, at.age, right=True), "plain" if row.counts_seconds else "muted"))
    return parts


def _write_spanning(row: Row, at: Columns, glyphs: Glyphs, marks: tuple[str, ...]) -> list[Part]:
    """Writes a name and words in the whole line. Where not all fit, the words from the first ` · ` on give way."""
    first = list(takewhile(lambda part: not part[0].startswith(" · "), row.words))
    more = len(" …") if len(first) < len(row.words) else 0
    room = at.width - 3 - sum(cell_len(text) for text, _ in first) - more
    width = max(at.name, min(room, sum(cell_len(text) for text, _ in _write_name(row, glyphs, ()))))
    name = _write_name_and_signs(row, width, glyphs, marks)
    return [*name, ("  ", "plain"), *fit_parts(row.words, max(0, at.width - width - 3))]


def _write_cost(row: Row, width: int) -> Part:
    known = row.cost is not None
    text = format_money(row.cost, is_pending=row.cost_is_pending) if known or row.has_cost else ""
    role = "needs" if row.over_budget else "faint" if not known else "muted" if row.glyph is None else "plain"
    return fit_width(text, width, right=True), role


def _write_name_and_signs(row: Row, width: int, glyphs: Glyphs, marks: tuple[str, ...]) -> list[Part]:
    """Writes a name and its signs in exactly `width` cells; a long name is cut, the signs are not."""
    name = _write_name(row, glyphs, marks)
    if not row.signs:
        return fit_parts(name, width)
    used = min(sum(cell_len(text) for text, _ in name), width - len(row.signs) - 1)
    return fit_parts([*fit_parts(name, used), (f" {row.signs}", "key" if row.marked else "faint")], width)


def _write_name(row: Row, glyphs: Glyphs, marks: tuple[str, ...]) -> list[Part]:
    mark = " " if row.folded is None else glyphs.folded if row.folded else glyphs.unfolded
    parts: list[Part] = [(row.indent, "rule"), (mark, "muted")]
    if row.glyph is not None:
        parts += [*([] if row.nested else [(" ", "plain")]), row.glyph]
    return [*parts, (" ", "plain"), *mark_words(row.name, marks)]


@lru_cache(maxsize=8)
def _compile_marks(marks: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(marks, key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})", re.IGNORECASE)


def mark_words(name: Part, marks: tuple[str, ...]) -> list[Part]:
    """Splits text so that each occurrence of the words is highlighted; ignores case."""
    text, role = name
    if not marks:
        return [name]
    pieces = _compile_marks(marks).split(text)
    return [(piece, "match" if n % 2 else role) for n, piece in enumerate(pieces) if piece]


def _write_context(row: Row, at: Columns, glyphs: Glyphs, thresholds: tuple[int, int, int]) -> list[Part]:
    if row.context is None:
        return [(" " * (at.draw_gauge + at.percent), "plain")]
    if row.context.percent is None:
        sign = PENDING if row.context.is_pending else UNKNOWN
        return [(fit_width(sign, at.draw_gauge + at.percent, right=True), "faint")]
    shown = write_gauge(row.context, at.draw_gauge, glyphs, thresholds) if at.draw_gauge else []
    hot = row.context.percent >= thresholds[2]
    return [
        *shown,
        (fit_width(format_percent(row.context.percent), at.percent, right=True), "gauge-hot" if hot else "plain"),
    ]
