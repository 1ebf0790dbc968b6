"""Writes rows as lines of a terminal, as Markdown and as JSON. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from tests.bench.row import Row

COLUMNS = ("measured", "figure", "spread", "ratio to", "aim", "met")
WIDTHS = (62, 12, 7, 27, 18, 3)
"""Cells of each column on a terminal."""
MARK = "<!-- {}measured -->"
"""What stands before and, with a slash, after the table in a document."""


def format_cells(row: Row) -> tuple[str, ...]:
    """Returns the text of each column."""
    figure = row.note if row.figure is None else f"{format_number(row.figure)} {row.unit}".rstrip()
    ratio = "" if row.ratio is None else f"{format_number(row.ratio)} x {row.reference}"
    aim = ""
    if row.aim is not None:
        aim = f"{row.aim.side} {row.aim.limit:g} {'x' if row.aim.of == 'ratio' else row.unit}".rstrip()
    met = {True: "yes", False: "no", None: ""}[row.is_met]
    spread = "" if row.spread is None else f"±{row.spread:.0%}"
    return row.name, figure, spread, ratio, aim, met


def format_number(value: float) -> str:
    """Returns a number with three digits, or all digits before the point."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def format_line(cells: Sequence[str]) -> str:
    """Returns one line of the table for a terminal; a text that is too long moves the rest to the right."""
    name, figure, *others = (cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))
    return "  ".join([name, figure.strip().rjust(WIDTHS[1]), *others]).rstrip()


def format_markdown(parts: Mapping[str, Iterable[Row]], machine: str) -> list[str]:
    """Returns the lines of a table for a document: the machine, then the rows of each part below its title."""
    lines = [machine, "", f"| {' | '.join(COLUMNS)} |", "|---|--:|--:|---|---|---|"]
    for title, rows in parts.items():
        lines.append(f"| **{title}** | | | | | |")
        lines += [f"| {' | '.join(format_cells(row))} |" for row in rows]
    return lines


def format_json(parts: Mapping[str, Iterable[Row]], machine: str, load: tuple[float, float]) -> str:
    """Returns one JSON object. `load`: the load average before and after."""
    rows = [{"part": part, **asdict(row), "is_met": row.is_met} for part, found in parts.items() for row in found]
    return json.dumps({"machine": machine, "load_average": load, "rows": rows}, indent=2)


def replace_table(text: str, lines: Iterable[str]) -> str:
    """Returns a document with other lines between the marks. Raises ValueError if it has no marks."""
    first, last = MARK.format(""), MARK.format("/")
    before, found, rest = text.partition(first)
    _, ended, after = rest.partition(last)
    if not (found and ended):
        raise ValueError(f"the document has no place for the table: lines {first} and {last}")
    return before + "\n".join([first, *lines, last]) + after
