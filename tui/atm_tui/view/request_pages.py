"""A request as text on a terminal: lines of its width, and page by page, so that all of it was on the screen before a yes."""

import sys
import termios
from collections.abc import Iterable, Iterator

from rich.cells import cell_len, get_character_cell_size

from atm_tui.view.request import Row, Section

_MARKS = {"add": "+ ", "remove": "- ", "same": "  ", "code": "  ", "danger": "! "}
_COLOURS = {"add": "32", "remove": "31", "danger": "1;31", "question": "1", "muted": "2", "title": "1"}
"""SGR codes by role."""


def written(sections: Iterable[Section], width: int, *, colour: bool = False) -> Iterator[str]:
    """The lines of a request, each at most `width` cells wide, with nothing left out."""
    for number, section in enumerate(sections):
        if number:
            yield ""
        yield from _painted(broken(section.title, width), "title", colour=colour)
        for row in section.rows:
            yield from _painted(_row(row, width), row.role, colour=colour)


def _row(row: Row, width: int) -> list[str]:
    mark = _MARKS.get(row.role, "") or ("    " if row.role == "muted" and not row.label else "  ")
    label = f"{row.label}. " if row.role == "option" else f"{row.label}: " if row.label else ""
    room = max(1, width - len(mark))
    return [mark + part for part in broken(label + row.text, room)]


def broken(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells; every character stays, blanks too, since they may mean something."""
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


def _painted(lines: Iterable[str], role: str, *, colour: bool) -> Iterator[str]:
    code = _COLOURS.get(role) if colour else None
    for line in lines:
        yield f"\x1b[{code}m{line}\x1b[0m" if code else line


def drop_typed_ahead() -> None:
    """What was typed before a question stood on the terminal is no answer to it."""
    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def page(sections: Iterable[Section], width: int, rows: int | None, *, colour: bool = False) -> bool:
    """Writes a request to stdout; with `rows`, waits for Enter whenever so many lines are full. False: not all was seen."""
    lines = list(written(sections, width, colour=colour))
    for number, line in enumerate(lines):
        if rows and number and number % (rows - 1) == 0:
            sys.stdout.write(f"-- {len(lines) - number} more lines: Enter shows them, q leaves --")
            sys.stdout.flush()
            drop_typed_ahead()
            if sys.stdin.readline() != "\n":
                return False
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
    return True
