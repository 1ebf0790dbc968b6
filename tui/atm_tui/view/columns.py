"""Chooses the columns that fit into a width, and writes rows in them.

Column widths depend on the width of the line alone, so that columns don't move when values change.
"""

import re
from functools import lru_cache

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len

from atm_tui.text import PENDING, UNKNOWN, fit_width, format_money, format_percent
from atm_tui.view.present import Glyphs, Part, fit_parts, write_gauge
from atm_tui.view.row import Row

GAUGE = 4
PERCENT = 4
COST = 7
AGE = 5


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


@lru_cache(maxsize=8)
def fit_columns(width: int) -> Columns:
    """Returns the columns for a line of `width` cells.

    With less room the branch goes first, then the cost, then the gauge; from 40 to 48 cells name and state remain.
    """
    percent_ = PERCENT if width >= 48 else 0
    gauge_ = GAUGE if width >= 56 else 0
    cost = COST if width >= 66 else 0
    age = AGE if width >= 48 else 0
    figures = (percent_ + gauge_ + 2 if percent_ else 0) + (cost + 1 if cost else 0) + (age + 1 if age else 0)
    rest = width - 1 - figures
    note = min(24, rest // 5) if width >= 76 else 0
    rest -= note + 2 if note else 0
    name = min(44, max(16, (rest - 2) // 2))
    return Columns(width, name, note, max(0, rest - name - 2), gauge_, percent_, cost, age)


def write_headings(at: Columns, order: str = "") -> list[Part]:
    """Writes the line above the tree: the names of the columns, and the `order` of the rows."""
    name = f"  SESSION · {order}" if order else "  SESSION"
    parts = [" ", fit_width(name if len(name) <= at.name else f"  · {order}", at.name)]
    parts += ["  ", fit_width("BRANCH", at.note)] if at.note else []
    parts += ["  ", fit_width("STATE", at.words)]
    parts += ["  ", fit_width("CTX", at.draw_gauge + at.percent, right=True)] if at.percent else []
    parts += [" ", fit_width("COST", at.cost, right=True)] if at.cost else []
    parts += [" ", fit_width("FOR", at.age, right=True)] if at.age else []
    return [("".join(parts), "faint")]


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
    parts += _write_name_and_signs(row, at.name, glyphs, marks)
    if row.gap:
        return [(" " * at.width, "plain")]
    if row.spans:
        return [*parts, ("  ", "plain"), *fit_parts(row.words, at.width - at.name - 3)]
    if at.note:
        parts += [("  ", "plain"), *fit_parts([row.note], at.note)]
    parts += [("  ", "plain"), *fit_parts(row.words, at.words)]
    if at.percent:
        parts += [("  ", "plain"), *_write_context(row, at, glyphs, thresholds)]
    if at.cost:
        known = row.cost is not None
        text = format_money(row.cost, is_pending=row.cost_is_pending) if known or row.has_cost else ""
        role = "needs" if row.over_budget else "faint" if not known else "muted" if row.glyph is None else "plain"
        parts += [(" ", "plain"), (fit_width(text, at.cost, right=True), role)]
    if at.age:
        parts += [(" ", "plain"), (fit_width(age, at.age, right=True), "plain" if row.counts_seconds else "muted")]
    return parts


def _write_name_and_signs(row: Row, width: int, glyphs: Glyphs, marks: tuple[str, ...]) -> list[Part]:
    """Writes a name and its signs in exactly `width` cells; a long name is cut, the signs are not."""
    name = _write_name(row, glyphs, marks)
    if not row.signs:
        return fit_parts(name, width)
    used = min(sum(cell_len(text) for text, _ in name), width - len(row.signs) - 1)
    return fit_parts([*fit_parts(name, used), (f" {row.signs}", "faint")], width)


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
