"""A terminal emulator for what the app writes in a frame: moves, colours and text. Raises on anything else."""

import re

from rich.cells import get_character_cell_size

from tests.support.raw_terminal import SEQUENCE

_SYNCHRONIZED = ("\x1b[?2026h", "\x1b[?2026l")
Sgr = tuple[frozenset[str], str, str]
"""Attributes, foreground and background."""
PLAIN: Sgr = (frozenset(), "", "")
_COLOR = re.compile(r"([34])8;(2;\d+;\d+;\d+|5;\d+)|([349]|10)([0-7])|([34])9|(\d+)")


class SmallTerminal:
    """Cells, their styles, and how often each was written since `begin_frame`."""

    def __init__(self, width: int, height: int) -> None:
        self.size = (width, height)
        self.cells: dict[tuple[int, int], tuple[str, Sgr]] = {}
        """By column and row; the second cell of a wide character is empty."""
        self.written: dict[tuple[int, int], int] = {}
        self._at = (0, 0)
        self._sgr = PLAIN

    def begin_frame(self) -> None:
        """Resets the counts of written cells, but keeps the content."""
        self.written = {}

    def line(self, y: int) -> str:
        """Returns the text of a row."""
        return "".join(self.cells.get((x, y), (" ", PLAIN))[0] for x in range(self.size[0]))

    def feed(self, data: str) -> None:
        """Processes output."""
        end = 0
        for found in SEQUENCE.finditer(data):
            self._put(data[end : found.start()])
            end = found.end()
            parameters = found["parameters"] or ""
            if found["final"] == "H":
                row, column = (int(each) for each in parameters.split(";"))
                self._at = (column - 1, row - 1)
            elif found["final"] == "m":
                self._apply_style(parameters)
            else:
                assert found[0] in _SYNCHRONIZED, found[0]
        self._put(data[end:])
        assert self._sgr == PLAIN, "a frame ends as it began"

    def _put(self, text: str) -> None:
        for each in text:
            x, y = self._at
            width = get_character_cell_size(each)
            assert each.isprintable(), each
            assert x + width <= self.size[0], (each, x, y)
            assert y < self.size[1], (each, x, y)
            if not width:
                before = max(at for at in range(x) if self.cells.get((at, y), ("", PLAIN))[0])
                self.cells[before, y] = (self.cells[before, y][0] + each, self.cells[before, y][1])
            for at in range(x, x + width):
                self.cells[at, y] = (each if at == x else "", self._sgr)
                self.written[at, y] = self.written.get((at, y), 0) + 1
            self._at = (x + width, y)

    def _apply_style(self, parameters: str) -> None:
        attributes, colors = set(self._sgr[0]), {"3": self._sgr[1], "4": self._sgr[2]}
        for found in _COLOR.finditer(parameters or "0"):
            layer, long, short, number, default, attribute = found.groups()
            if long or default:
                colors[layer or default] = long or ""
            elif short:
                colors[{"9": "3", "10": "4"}.get(short, short)] = f"{short}{number}"
            elif attribute == "0":
                attributes, colors = set(), {"3": "", "4": ""}
            else:
                attributes.add(attribute)
        self._sgr = (frozenset(attributes), colors["3"], colors["4"])
