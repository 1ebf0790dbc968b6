"""Finished lines with the text of an age in each: most often only the age changes, and the rest of the line is kept."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from atm_tui.text import fit_width

KeyT = TypeVar("KeyT", bound=Hashable)


@dataclass(slots=True)
class _AgedLine:
    bare: Strip
    place: int | None
    """Index of the segment of the age; None: the line shows none."""
    age: str
    strip: Strip


class AgedLines(Generic[KeyT]):
    """Puts ages into lines that were rendered with blanks in their place."""

    def __init__(self) -> None:
        self._known: dict[KeyT, _AgedLine] = {}

    def place_age(self, key: KeyT, bare: Strip, age: str, column: int, width: int) -> Strip:
        """Returns a line with an age in its `width` cells from `column` on, which are a segment of blanks in `bare`.

        A line without such a segment is returned as it is. `key`: which line it is; of each the last one is kept.
        """
        line = self._known.get(key)
        if line is None or line.bare is not bare:
            line = self._known[key] = _AgedLine(bare, _find_segment(bare, column, width), "", bare)
        if line.age != age:
            line.age, line.strip = age, bare
            if line.place is not None:
                segments = list(bare)
                segments[line.place] = Segment(fit_width(age, width, right=True), segments[line.place].style)
                line.strip = Strip(segments, bare.cell_length)
        return line.strip

    def find_age(self, key: KeyT) -> str | None:
        """Returns the age that a line shows; None for one that was not rendered yet."""
        line = self._known.get(key)
        return line.age if line else None

    def limit_size(self, lines: int) -> None:
        """Forgets all lines when there are far more than `lines`."""
        if len(self._known) > 2 * lines + 200:
            self._known.clear()


def _find_segment(strip: Strip, column: int, width: int) -> int | None:
    """Returns the index of the segment that takes these cells."""
    x = 0
    for index, (text, _, _) in enumerate(strip):
        if x == column and len(text) == width:
            return index
        x += cell_len(text)
    return None
