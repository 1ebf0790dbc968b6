"""An age replaces the spaces reserved for it in a rendered line, in any segments; the rest of the line is unchanged."""

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.view.aged_lines import SPARE_LINES, AgedLines

BOLD, PLAIN = Style(bold=True), Style()


@pytest.mark.parametrize(
    "pieces",
    [
        (("name  ", BOLD), ("     ", PLAIN), (" ", PLAIN)),
        (("name", BOLD), ("        ", PLAIN)),  # as Textual merges blanks of one style
        (("日本", BOLD), ("  ", PLAIN), ("     ", PLAIN), (" ", PLAIN)),
    ],
)
def test_an_age_replaces_spaces(pieces: tuple[tuple[str, Style], ...]) -> None:
    bare = Strip([Segment(*piece) for piece in pieces])
    lines: AgedLines[str] = AgedLines()
    assert lines.find_age("a") is None
    for age in ("4s", "1m12s", ""):
        strip = lines.place_age("a", bare, age, 6, 5)
        assert strip.cell_length == bare.cell_length == 12
        assert strip.text == f"{bare.text[:-6]}{age:>5} "
        assert next(style for text, style, _ in strip if text.strip() in ("name", "日本")) is BOLD
        assert lines.find_age("a") == age
        assert lines.place_age("a", bare, age, 6, 5) is strip


def test_text_where_an_age_would_be_stays() -> None:
    bare = Strip([Segment("no room here")])
    assert AgedLines[str]().place_age("a", bare, "4s", 6, 5) is bare
    assert AgedLines[str]().place_age("a", Strip([Segment("short")]), "4s", 6, 5).text == "short"


def test_lines_that_are_gone_are_forgotten() -> None:
    lines: AgedLines[int] = AgedLines()
    for first in range(0, 200, 10):
        listed = list(range(first, first + 10))
        for key in listed:
            lines.place_age(key, Strip([Segment("name    ")]), "3s", 4, 4)
        if lines.is_crowded(len(listed)):
            lines.drop_all_but(set(listed))
        assert len(lines._known) <= len(listed) + SPARE_LINES
        assert all(lines.find_age(key) == "3s" for key in listed)
