"""Writes a request as lines of a terminal's width, for the command line."""

from collections.abc import Iterable, Iterator

from rich.cells import cell_len, get_character_cell_size

from atm_tui.view.request import Section
from atm_tui.view.request_limit import Row

_MARKS = {"add": "+ ", "remove": "- ", "same": "  ", "code": "  ", "danger": "! "}
STYLES = {"add": "32", "remove": "31", "danger": "1;31", "question": "1", "muted": "2", "title": "1"}
"""SGR codes by role."""


def write_request(sections: Iterable[Section], width: int) -> Iterator[tuple[str, str]]:
    """Returns the lines of a request with their roles, each at most `width` cells; nothing is left out."""
    for number, section in enumerate(sections):
        if number:
            yield "", ""
        yield from ((line, "title") for line in _break_line(section.title, width))
        for row in section.rows:
            yield from ((line, row.role) for line in _write_row(row, width))


def _write_row(row: Row, width: int) -> list[str]:
    mark = _MARKS.get(row.role, "") or ("    " if row.role == "muted" and not row.label else "  ")
    label = f"{row.label}. " if row.role == "option" else f"{row.label}: " if row.label else ""
    room = max(1, width - len(mark))
    return [mark + part for part in _break_line(label + row.text, room)]


def _break_line(text: str, width: int) -> list[str]:
    """Wraps `text` to at most `width` cells; keeps every character, also blanks, which may be significant."""
    lines, at, used = [], 0, 0
    if cell_len(text) <= width:
        return [text]
    for index, character in enumerate(text):
        size = get_character_cell_size(character)
        if used + size > width and index > at:
            lines.append(text[at:index])
            at, used = index, 0
        used += size
    return [*lines, text[at:]]
