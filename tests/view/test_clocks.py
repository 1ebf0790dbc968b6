"""Times on the screen that go on by themselves: what a tick writes for them, and what ends that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.text import FINE_UNTIL
from atm_tui.view.clocks import Clock, VisibleClocks
from atm_tui.view.written_screen import WrittenScreen
from tests.support.small_terminal import SmallTerminal

WIDTH, HEIGHT, AGE = 16, 3, 5
NOW, LATER = 1000.0, 1e9
RED = Style(color="#ff0000")


def make_row(clock: Clock, now: float, name: str = "shop") -> Strip:
    """A row with a name, and a clock at its end."""
    return Strip([Segment(name.ljust(WIDTH - AGE)), Segment(clock.format(now), RED)], WIDTH)


def make_clock(y: int, zero: float, *, down: bool = False) -> Clock:
    return Clock(WIDTH - AGE, y, AGE, zero, FINE_UNTIL, down)


class Written:
    """A screen of rows with clocks, and the terminal that shows it."""

    def __init__(self, *clocks: Clock, now: float = NOW) -> None:
        self.clocks, self.screen, self.terminal = clocks, WrittenScreen(), SmallTerminal(WIDTH, HEIGHT)
        self.screen.forget(WIDTH, HEIGHT)
        self.rows = [make_row(each, now) for each in clocks]
        self.write(*self.rows)

    def write(self, *rows: Strip) -> str:
        """Writes rows from the first one on, as a frame does."""
        text = self.screen.write([(0, y, strip) for y, strip in enumerate(rows)], ColorSystem.TRUECOLOR)
        self.terminal.feed(text)
        return text

    def keep(self, now: float = NOW, until: float = LATER) -> None:
        visible = VisibleClocks(now, until)
        for each in self.clocks:
            visible.add(each)
        self.screen.keep_clocks(visible)

    def advance(self, now: float) -> str | None:
        text = self.screen.advance_clocks(now)
        self.terminal.feed(text or "")
        return text

    def list_ages(self) -> list[str]:
        return [self.terminal.line(y)[-AGE:] for y in range(len(self.clocks))]


def test_only_what_changed_is_written() -> None:
    written = Written(make_clock(0, NOW - 8), make_clock(1, NOW - 100.5))
    written.keep()
    assert written.advance(NOW) == ""
    assert written.advance(NOW + 0.5) == "\x1b[2;12H\x1b[38;2;255;0;0m1m41s\x1b[0m"
    assert written.advance(NOW + 1) == "\x1b[1;15H\x1b[38;2;255;0;0m9s\x1b[0m"
    assert written.advance(NOW + 2) == "\x1b[1;14H\x1b[38;2;255;0;0m10s\x1b[2;12H1m42s\x1b[0m"


def test_a_countdown_ends_before_it_is_shorter() -> None:
    written = Written(make_clock(0, NOW + 62.5, down=True))
    written.keep()
    assert written.advance(NOW + 1)
    assert written.list_ages() == ["1m01s"]
    assert written.advance(NOW + 2.5) is None


@pytest.mark.parametrize(
    ("clock", "now", "until"),
    [
        (make_clock(0, NOW - 599), NOW + 1, LATER),
        (make_clock(0, NOW - 5), NOW + 7, NOW + 7),
        (make_clock(0, NOW - 5), NOW - 1, LATER),
    ],
    ids=["minutes", "other things are due", "the clock was set back"],
)
def test_what_goes_on_otherwise_is_left_to_the_widgets(clock: Clock, now: float, until: float) -> None:
    written = Written(clock)
    written.keep(until=until)
    assert written.advance(NOW + 0.5) is not None
    assert written.advance(now) is None


def test_a_clock_in_minutes_stays_as_it_is() -> None:
    written = Written(make_clock(0, NOW - 700), make_clock(1, NOW - 5))
    written.keep()
    assert written.advance(NOW + 1)
    assert written.list_ages() == ["  11m", "   6s"]


@pytest.mark.parametrize("change", ["another frame", "the same frame", "forget"])
def test_whatever_is_written_ends_it(change: str) -> None:
    written = Written(make_clock(0, NOW - 5))
    written.keep()
    if change == "forget":
        written.screen.forget(WIDTH, HEIGHT)
    else:
        written.write(written.rows[0] if change == "the same frame" else make_row(written.clocks[0], NOW + 3, "docs"))
    assert written.advance(NOW + 1) is None


def test_clocks_that_the_terminal_does_not_show_like_that_are_not_kept() -> None:
    covered = Written(make_clock(0, NOW - 5))
    covered.write(Strip([Segment("x" * WIDTH)], WIDTH))
    covered.keep()
    assert covered.advance(NOW + 1) is None
    elsewhere = Written(make_clock(0, NOW - 5))
    for place in ((WIDTH - AGE, HEIGHT), (-1, 0), (0, -1), (WIDTH - 2, 0)):
        visible = VisibleClocks(NOW, LATER)
        visible.add(Clock(*place, AGE, NOW - 5, FINE_UNTIL))
        elsewhere.screen.keep_clocks(visible)
        assert elsewhere.advance(NOW + 1) is None


@pytest.mark.parametrize("name", ["日本", "e\u0301"])
def test_beside_characters_whose_width_terminals_disagree_on_nothing_is_kept(name: str) -> None:
    written = Written(make_clock(0, NOW - 5))
    text = Segment(name)
    rest = WIDTH - AGE - text.cell_length
    written.write(Strip([text, Segment(" " * rest), Segment(written.clocks[0].format(NOW), RED)], WIDTH))
    written.keep()
    assert written.advance(NOW + 1) is None


@given(st.lists(st.tuples(st.floats(0, 595), st.booleans()), min_size=1, max_size=HEIGHT), st.data())
def test_the_terminal_shows_what_the_widgets_would(drawn: list[tuple[float, bool]], data: st.DataObject) -> None:
    clocks = [make_clock(y, NOW + part if down else NOW - part, down=down) for y, (part, down) in enumerate(drawn)]
    written, now = Written(*clocks), NOW
    written.keep()
    for step in data.draw(st.lists(st.floats(0, 30), max_size=6)):
        now += step
        # as rows of a list, a row may be the very strip that was written before
        if written.advance(now) is None or data.draw(st.booleans()):
            rows = [make_row(each, now) for each in clocks]
            kept = zip(written.rows, rows, strict=True)
            written.rows = [old if old.text == new.text else new for old, new in kept]
            written.write(*written.rows)
            written.keep(now)
        assert written.list_ages() == [each.format(now) for each in clocks]
