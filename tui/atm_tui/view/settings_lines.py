"""Writes the settings screen: a line for each key of the configuration, and what is known of the selected one. Pure."""

from collections.abc import Sequence

from atm_tui.config import MEANINGS, ConfigProblem
from atm_tui.text import clean, fit_width, measure_width, wrap_text
from atm_tui.view.config_rows import ConfigRow, describe_kind, is_table, strip_markdown
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs, Part

KEY = max(len(key) for key in MEANINGS)
ORIGIN = 17
"""Cells of the column that says where a value comes from."""
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


def _write_row(row: ConfigRow, glyphs: Glyphs, width: int) -> ListLine:
    origin = ORIGIN if width >= KEY + ORIGIN + 20 else 0
    value = max(1, width - KEY - 4 - (origin + 2 if origin else 0))
    is_default = row.origin == "default"
    mark = glyphs.warning if row.problem else " "
    parts: list[Part] = [
        (f"{mark} ", "notice"),
        (fit_width(row.key, KEY), "plain"),
        ("  ", "plain"),
        (fit_width(clean(row.value), value), "muted" if is_default else "strong"),
    ]
    if origin:
        parts += [("  ", "plain"), (fit_width(clean(row.origin), origin), "faint" if is_default else "muted")]
    return make_list_line(*parts, key=row.key)


def write_about(row: ConfigRow | None, trouble: str, width: int) -> list[list[Part]]:
    """Writes ABOUT lines about the selected key. `trouble`: why the last change was refused; empty: it was not."""
    if row is None:
        return []
    lines: list[list[Part]] = [[(piece, "plain")] for piece in wrap_text(strip_markdown(MEANINGS[row.key]), width, 2)]
    kind = "tables: changed in the file" if is_table(row.key) else describe_kind(row.key)
    value = clean(row.value)
    if measure_width(value) > width - KEY - ORIGIN - 6:
        lines += [[("value    ", "faint"), (piece, "plain")] for piece in wrap_text(value, width - 9, 1)]
    lines += [[("values   ", "faint"), (piece, "muted")] for piece in wrap_text(kind, width - 9, 1)]
    lines += [[("default  ", "faint"), (piece, "muted")] for piece in wrap_text(row.default, width - 9, 1)]
    wrong = trouble or row.problem
    lines += (
        [[(piece, "notice")] for piece in wrap_text(clean(wrong), width, max(1, ABOUT - len(lines)))] if wrong else []
    )
    return lines[:ABOUT]
