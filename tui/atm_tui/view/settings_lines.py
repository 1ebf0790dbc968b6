"""Writes the settings screen: a line for each key of the configuration, and what is known of the selected one. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from atm_tui.config import MEANINGS, ConfigProblem
from atm_tui.text import clean, fit_width, measure_width, wrap_text
from atm_tui.view.config_rows import ConfigRow, describe_kind, is_table, strip_markdown
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs, Part

KEY = max(len(key) for key in MEANINGS)
ORIGIN = 17
"""Cells of the column that says where a value comes from."""
VALUE = 36
MEANING = 60
"""Cells of a value, and least cells of a meaning, where both are in the line of a key."""
NAME = 9
"""Cells of a name before what is known of the selected key."""
ABOUT = 6
"""Lines about the selected key."""
_ALL = 99


def write_settings(
    rows: Sequence[ConfigRow], problems: Sequence[ConfigProblem], name: str, glyphs: Glyphs, width: int
) -> list[ListLine]:
    """Writes all keys; above them, what is wrong in the file `name` and belongs to none of them."""
    lines = []
    for each in problems:
        if each.key.partition(".")[0].partition("[")[0] not in MEANINGS:
            pieces = wrap_text(clean(each.describe(name)), width - 2, _ALL)
            lines += [
                make_list_line((f"{glyphs.warning} " if piece is pieces[0] else "  ", "notice"), (piece, "plain"))
                for piece in pieces
            ]
    return [*lines, *(_write_row(row, glyphs, width) for row in rows)]


class _Columns(NamedTuple):
    """Widths in cells; 0: not shown."""

    value: int
    origin: int
    meaning: int


def _fit_columns(width: int) -> _Columns:
    origin = ORIGIN if width >= KEY + ORIGIN + 20 else 0
    value = max(1, width - KEY - 4 - (origin + 2 if origin else 0))
    meaning = value - VALUE - 2
    return _Columns(VALUE, origin, meaning) if meaning >= MEANING else _Columns(value, origin, 0)


def _write_row(row: ConfigRow, glyphs: Glyphs, width: int) -> ListLine:
    at = _fit_columns(width)
    is_default = row.origin == "default"
    mark = glyphs.warning if row.problem else " "
    parts: list[Part] = [
        (f"{mark} ", "notice"),
        (fit_width(row.key, KEY), "plain"),
        ("  ", "plain"),
        (fit_width(clean(row.value), at.value), "muted" if is_default else "strong"),
    ]
    if at.origin:
        parts += [("  ", "plain"), (fit_width(clean(row.origin), at.origin), "faint" if is_default else "muted")]
    if at.meaning:
        parts += [("  ", "plain"), (fit_width(strip_markdown(MEANINGS[row.key]), at.meaning), "muted")]
    return make_list_line(*parts, key=row.key)


def write_about(row: ConfigRow | None, trouble: str, width: int) -> list[list[Part]]:
    """Writes ABOUT lines about the selected key. `trouble`: why the last change was refused; empty: it was not."""
    if row is None:
        return []
    wrong = trouble or row.problem
    kind = "tables: changed in the file" if is_table(row.key) else describe_kind(row.key)
    value = clean(row.value) if measure_width(clean(row.value)) > _fit_columns(width).value else ""
    named = [(name, text) for name, text in (("value", value), ("values", kind), ("default", row.default)) if text]
    room = ABOUT - len(named)
    trouble_lines = wrap_text(clean(wrong), width, max(1, room - 1)) if wrong else []
    meaning = wrap_text(strip_markdown(MEANINGS[row.key]), width, max(1, room - len(trouble_lines)))
    lines: list[list[Part]] = [[(piece, "plain")] for piece in meaning]
    spare = max(0, room - len(trouble_lines) - len(meaning))
    for name, text in named:
        pieces = wrap_text(text, width - NAME, 1 + spare)
        spare -= len(pieces) - 1
        lines += [
            [(fit_width("" if at else name, NAME), "faint"), (piece, "muted" if name != "value" else "plain")]
            for at, piece in enumerate(pieces)
        ]
    lines += [[(piece, "notice")] for piece in trouble_lines]
    return lines[:ABOUT]
