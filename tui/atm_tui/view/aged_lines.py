"""Caches rendered lines that show an age: usually only the age changes, and the rest of the line is reused."""

from collections.abc import Hashable, Set
from typing import Generic, TypeVar

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from atm_tui.text import fit_width
from atm_tui.view.written_screen import has_single_cells

KeyT = TypeVar("KeyT", bound=Hashable)
COARSE_STEP = 15.0
"""Seconds between updates of ages in minutes, all at the same time, so that an idle screen is rarely rendered."""
SPARE_LINES = 32
"""Number of lines beyond the listed ones after which lines that are gone are dropped."""


class _AgedLine(msgspec.Struct):
    bare: Strip
    around: tuple[list[Segment], Style | None, list[Segment]] | None
    """The part left of the age, its style, and the part right of it; None: the line has no space for an age."""
    age: str
    strip: Strip | None
    """The line with the age; None: not made yet."""
    is_certain: bool
    """Whether each character takes one cell on any terminal, so that the age stands where it should."""


class CoarseClock:
    """Tells when ages in minutes are to be compared: once in each step of COARSE_STEP, all at the same time."""

    def __init__(self) -> None:
        self._step = 0.0

    def has_advanced(self, now: float) -> bool:
        """Returns whether a step has begun since the last call. `now`: epoch seconds."""
        before, self._step = self._step, now // COARSE_STEP
        return self._step != before


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
            is_certain = all(has_single_cells(segment.text) for segment in bare)
            line = self._known[key] = _AgedLine(bare, _cut_out(bare, column, width), "", bare, is_certain)
        if line.age != age or line.strip is None:
            line.age, line.strip = age, bare
            if line.around is not None:
                left, style, right = line.around
                line.strip = Strip([*left, Segment(fit_width(age, width, right=True), style), *right], bare.cell_length)
        return line.strip

    def change_age(self, key: KeyT, age: str, column: int, width: int) -> tuple[int, Strip] | None:
        """Changes the age of a line that was rendered; returns the changed part with its column, None without one.

        That is the whole line where a terminal may have other ideas of the width of its characters.
        """
        line = self._known[key]
        if line.around is None:
            return None
        if not line.is_certain:
            return 0, self.place_age(key, line.bare, age, column, width)
        line.age, line.strip = age, None
        return column, Strip([Segment(fit_width(age, width, right=True), line.around[1])], width)

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
