"""Shows a request on a terminal page by page, so that all of it was visible before an answer."""

from collections.abc import Iterable

from atm_tui.cli.output import flush, write_line
from atm_tui.cli.terminal import ask_line, drop_typed_ahead
from atm_tui.view.request import Section
from atm_tui.view.request_pages import STYLES, write_request


def show_pages(sections: Iterable[Section], width: int, rows: int | None, *, colour: bool = False) -> bool:
    """Prints a request; with `rows`, waits for Enter after each page of as many lines. Returns whether all of it was shown."""
    lines = list(write_request(sections, width))
    for number, (line, role) in enumerate(lines):
        if rows and number and number % (rows - 1) == 0:
            flush()
            drop_typed_ahead()
            if ask_line(f"-- {len(lines) - number} more lines: Enter shows them, q leaves --") != "\n":
                return False
        write_line(line, style=STYLES.get(role, "") if colour else "")
    flush()
    return True
