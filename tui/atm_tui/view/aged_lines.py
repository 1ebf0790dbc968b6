"""Caches rendered lines that show an age: usually only the age changes, and the rest of the line is reused."""

from collections.abc import Hashable, Set
from typing import Generic, TypeVar

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.text import fit_width

KeyT = TypeVar("KeyT", bound=Hashable)
SPARE_LINES = 32
"""Number of lines beyond the listed ones after which lines that are gone are dropped."""


class _AgedLine(msgspec.Struct):
    bare: Strip
    around: tuple[list[Segment], Style | None, list[Segment]] | None
    """The part left of the age, its style, and the part right of it; None: the line has no space for an age."""
    age: str
    strip: Strip


class AgedLines(Generic[KeyT]):
    """Inserts ages into lines that were rendered with spaces in their place."""

    def __init__(self) -> None:
        self._known: dict[KeyT, _AgedLine] = {}

    def place_age(self, key: KeyT, bare: Strip, age: str, column: int, width: int) -> Strip:
        """Returns a line with an age in `width` cells from `column` on; unchanged unless `bare` has spaces of one style there.

        `key`: identifies the line; the last one of each key is cached.
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
        """Returns the age that a line shows; None if it was not rendered yet."""
        line = self._known.get(key)
        return line.age if line else None

    def is_crowded(self, count: int) -> bool:
        """Whether many cached lines are no longer listed. `count`: the number of listed lines."""
        return len(self._known) > count + SPARE_LINES

    def drop_all_but(self, keys: Set[KeyT]) -> None:
        """Drops lines that are no longer listed. `keys`: those of all listed lines."""
        self._known = {key: line for key, line in self._known.items() if key in keys}


def _cut_out(strip: Strip, column: int, width: int) -> tuple[list[Segment], Style | None, list[Segment]] | None:
    segments, x = list(strip), 0
    for index, (text, style, _) in enumerate(segments):
        cells = cell_len(text)
        if x <= column and column + width <= x + cells:
            # adjacent spaces may be one segment
            before, age, behind = (text[: column - x], text[column - x :][:width], text[column - x + width :])
            if age.strip() or cells != len(text):
                return None
            left = [*segments[:index], *([Segment(before, style)] if before else [])]
            return left, style, [*([Segment(behind, style)] if behind else []), *segments[index + 1 :]]
        x += cells
    return None
