"""The bench sees the selected row also where a frame writes only the cells that differ."""

import re

from tests.bench.cell_grid import CellGrid

SELECTED = re.compile(r"▌ *(part \d+)")
FIRST = "\x1b[2J\x1b[1;1H\x1b[7m▌\x1b[0m part 1\x1b[2;1H  part 2"


def test_a_moved_cursor_is_noticed_even_if_no_name_is_rewritten() -> None:
    grid = CellGrid(2, 20)
    grid.feed(FIRST.encode())
    assert grid.find(SELECTED) == (0, "part 1")
    grid.feed("\x1b[1;1H \x1b[2;1H\x1b[38;5;4m▌\x1b[0m".encode())
    assert grid.find(SELECTED) == (1, "part 2")


def test_output_in_single_bytes_gives_the_same_screen() -> None:
    whole, pieces = CellGrid(2, 20), CellGrid(2, 20)
    written = (FIRST + "\x1b]8;;http://a\x1b\\\x1b[2;9H漢x").encode()
    whole.feed(written)
    for byte in written:
        pieces.feed(bytes([byte]))
    assert [pieces.read_row(row) for row in (0, 1)] == [whole.read_row(row) for row in (0, 1)]
    assert whole.read_row(1) == "  part 2漢x" + " " * 9
