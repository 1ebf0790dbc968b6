"""Finished lines with the text of an age in each: most often only the age changes, and the rest of the line is kept."""

from collections.abc import Hashable, Set
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.text import fit_width

KeyT = TypeVar("KeyT", bound=Hashable)
SPARE_LINES = 32
"""Number of lines, beyond those that are listed, from which on those that are gone are forgotten."""


@dataclass(slots=True)
class _AgedLine:
    bare: Strip
    around: tuple[list[Segment], Style | None, list[Segment]] | None
    """What is left of the age, its style, and what is right of it; None: the line has no room for an age."""
    age: str
    strip: Strip


class AgedLines(Generic[KeyT]):
    """Puts ages into lines that were rendered with blanks in their place."""

    def __init__(self) -> None:
        self._known: dict[KeyT, _AgedLine] = {}

    def place_age(self, key: KeyT, bare: Strip, age: str, column: int, width: int) -> Strip:
        """Returns a line with an age in its `width` cells from `column` on; as it is, unless `bare` has blanks of one style there.

        `key`: which line it is; of each the last one is kept.
        """
        line = self._known.get(key)
        if line is None or line.bare is not bare:
            line = self._known[key] = _AgedLine(bare, _cut_out(bare, column, width), "", bare)
        if line.age != age:
            line.age, line.strip = age, bare
            if line.around is not None:
                left, style, right = line.around
                line.strip = Strip([*left, Segment(fit_width(age, width, right=True), style), *right], bare.cell_length)
        return line.strip

    def find_age(self, key: KeyT) -> str | None:
        """Returns the age that a line shows; None for one that was not rendered yet."""
        line = self._known.get(key)
        return line.age if line else None

    def is_crowded(self, count: int) -> bool:
        """Whether several lines are no longer listed. `count`: number of lines that are."""
        return len(self._known) > count + SPARE_LINES

    def drop_all_but(self, keys: Set[KeyT]) -> None:
        """Forgets lines that are no longer listed. `keys`: of all lines that are."""
        self._known = {key: line for key, line in self._known.items() if key in keys}


def _cut_out(strip: Strip, column: int, width: int) -> tuple[list[Segment], Style | None, list[Segment]] | None:
    segments, x = list(strip), 0
    for index, (text, style, _) in enumerate(segments):
        cells = cell_len(text)
        if x <= column and column + width <= x + cells:
            # blanks beside each other may be one segment
            before, age, behind = (text[: column - x], text[column - x :][:width], text[column - x + width :])
            if age.strip() or cells != len(text):
                return None
            left = [*segments[:index], *([Segment(before, style)] if before else [])]
            return left, style, [*([Segment(behind, style)] if behind else []), *segments[index + 1 :]]
        x += cells
    return None
