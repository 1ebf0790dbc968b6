"""A frame writes only the cells that differ from the terminal's content, which then shows the whole frame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.view.written_screen import WrittenScreen
from tests.support.small_terminal import SmallTerminal

WIDTH, HEIGHT = 12, 3
STYLES = (
    None,
    Style(bold=True),
    Style(color="#102030", bgcolor="#405060"),
    Style(color="#112233", bgcolor="#405060"),
    Style(bgcolor="#405060", underline=True, dim=True),
    Style(color="red"),
    Style(color="bright_blue", bgcolor="default"),
)
TEXTS = st.lists(st.sampled_from(["a", "b", " ", ".", "─", "1", "4s", "漢", "e\u0301", "é"]), max_size=4).map("".join)

PIECES = st.lists(st.tuples(TEXTS, st.sampled_from(STYLES)), max_size=3)


def make_strip(pieces: list[tuple[str, Style | None]], width: int) -> Strip:
    """Pieces in exactly so many cells."""
    return Strip([Segment(text, style) for text, style in pieces]).adjust_cell_length(width)


def write(screen: WrittenScreen, *strips: tuple[int, int, Strip]) -> str:
    return screen.write(strips, ColorSystem.TRUECOLOR)


def new_screen(width: int = WIDTH, height: int = HEIGHT) -> WrittenScreen:
    screen = WrittenScreen()
    screen.forget(width, height)
    return screen


@st.composite
def draw_frames(draw: st.DrawFn) -> list[list[tuple[int, int, Strip]]]:
    """Frames of rows that are cut at the same or other cells than before."""
    result = []
    for _ in range(draw(st.integers(1, 4))):
        frame = []
        for y in draw(st.sets(st.integers(0, HEIGHT - 1))):
            cut = draw(st.sampled_from((0, 4, 5)))
            frame += [(0, y, make_strip(draw(PIECES), cut))] if cut else []
            frame.append((cut, y, make_strip(draw(PIECES), WIDTH - cut)))
        result.append(frame)
    return result


@given(draw_frames())
def test_partial_writes_show_the_same_as_full_writes(drawn: list[list[tuple[int, int, Strip]]]) -> None:
    screen = new_screen()
    terminal, other = SmallTerminal(WIDTH, HEIGHT), SmallTerminal(WIDTH, HEIGHT)
    for frame in drawn:
        terminal.begin_frame()
        terminal.feed(write(screen, *frame))
        assert all(times == 1 for times in terminal.written.values())
        for strip in frame:
            other.feed(write(new_screen(), strip))
        assert terminal.cells == other.cells
        assert not write(screen, *frame), "the same frame again"


@given(PIECES)
def test_a_full_strip_looks_as_textual_writes_it(pieces: list[tuple[str, Style | None]]) -> None:
    strip, x = make_strip(pieces, WIDTH), 0
    ours, theirs = SmallTerminal(WIDTH, HEIGHT), SmallTerminal(WIDTH, HEIGHT)
    ours.feed(write(new_screen(), (0, 0, strip)))
    for text, style, _ in strip:
        theirs.feed(f"\x1b[1;{x + 1}H{Strip.render_style(style or Style(), text, ColorSystem.TRUECOLOR)}")
        x += cell_len(text)
    assert ours.cells == theirs.cells


def test_only_style_changes_are_written() -> None:
    screen = new_screen()
    written = write(screen, (0, 0, make_strip([("ab", STYLES[2]), ("cd", STYLES[3]), ("ef", None)], 6)))
    assert written == ("\x1b[1;1H\x1b[38;2;16;32;48;48;2;64;80;96mab\x1b[38;2;17;34;51mcd\x1b[0mef")


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        ("make  14s", "make  15s", "\x1b[1;7H15s"),
        ("make  59s", "make 1m0s", "\x1b[1;6H1m0s"),
        ("make 1m0s", "make  59s", "\x1b[1;6H 59s"),
        ("one  two", "one  two", ""),
        ("a b c", "x b c", "\x1b[1;1Hx"),
        ("a      c", "x      y", "\x1b[1;1Hx\x1b[1;8Hy"),
        ("a  c", "x  y", "\x1b[1;1Hx  y"),
        ("漢   1s", "漢   2s", "\x1b[1;1H漢   2s"),
    ],
    ids=["age", "longer", "shorter", "same", "first", "two words", "words close by", "wide"],
)
def test_only_changed_words_are_written(before: str, after: str, written: str) -> None:
    screen = new_screen()
    width = cell_len(before)
    write(screen, (0, 0, make_strip([(before, None)], width)))
    assert write(screen, (0, 0, make_strip([(after, None)], width))) == written


def test_after_forget_the_whole_screen_is_written() -> None:
    screen = new_screen()
    frame = [(0, y, make_strip([(f"line {y}", None)], WIDTH)) for y in range(HEIGHT)]
    first = write(screen, *frame)
    assert not write(screen, *frame)
    screen.forget(WIDTH, HEIGHT)
    assert write(screen, *frame) == first


def test_text_outside_the_screen_is_not_written() -> None:
    strip = make_strip([("0123456789", None)], 10)
    assert write(new_screen(12, 1), (12, 0, strip), (15, 0, strip), (0, 1, strip)) == ""
    assert write(new_screen(12, 1), (7, 0, strip)) == "\x1b[1;8H01234"


def test_links_are_opened_and_closed() -> None:
    written = write(new_screen(), (0, 0, make_strip([("ab", Style(link="https://example.org")), ("c", None)], 3)))
    assert ";https://example.org\x1b\\ab\x1b]8;;\x1b\\c" in written
