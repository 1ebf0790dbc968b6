"""Composes a frame from only the visible, changed lines of widgets."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip

BETWEEN = 2
"""Largest gap, in rows, between changed rows that are rendered in one call: two calls would cost more."""


class PartialCompositor(Compositor):
    """Textual's compositor renders all lines of every widget between the topmost and the lowest change, even lines covered
    by other widgets.
    """

    def __init__(self) -> None:
        super().__init__()
        self._changed: list[Region] | None = None
        """The changed regions during a partial update; None: the whole screen is composed."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Renders the changed lines."""
        self._changed = list(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = None

    def _render_chops(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> Sequence[Mapping[int, Strip]]:
        """Returns the visible strips of each row of the screen, by the column at which each begins.

        A row is cut where a widget begins or ends. Strips that did not change are missing.
        """
        wanted = self._list_wanted(crop, is_rendered_line)
        chops: list[dict[int, Strip]] = [{} for _ in self.cuts]
        for widget, (region, clip) in self.visible_widgets.items():  # front to back
            if not wanted:
                break
            shown = region.intersection(clip)
            seen = [y for y in shown.line_range if y in wanted and any(shown.x <= x < shown.right for x in wanted[y])]
            for top, bottom in _list_runs(seen):
                lines = Region(shown.x, top, shown.width, bottom - top)
                for y, strip in zip(
                    lines.line_range, widget.render_lines(lines.translate(-region.offset)), strict=False
                ):
                    if y not in wanted:
                        continue
                    cuts = [cut for cut in self.cuts[y] if shown.x <= cut <= shown.right]
                    for cut, part in zip(cuts, strip.divide([cut - shown.x for cut in cuts[1:]]), strict=False):
                        chops[y].setdefault(cut, part)
                        wanted[y].discard(cut)
                    if not wanted[y]:
                        del wanted[y]
        # the columns in order, as the spans of an update need them
        rows = [dict.fromkeys(cuts[:-1]) | row for cuts, row in zip(self.cuts, chops, strict=True)]
        return cast("Sequence[Mapping[int, Strip]]", rows)

    def _list_wanted(self, crop: Region, is_rendered_line: Callable[[int], bool]) -> dict[int, set[int]]:
        """Returns the start columns of the strips to render, by row."""
        if self._changed is None:
            return {y: set(self.cuts[y][:-1]) for y in crop.line_range if is_rendered_line(y)}
        wanted: dict[int, set[int]] = {}
        for y, first, last in self._regions_to_spans(self._changed):
            if y < len(self.cuts):
                cuts = self.cuts[y]
                wanted.setdefault(y, set()).update(x for x, end in pairwise(cuts) if x < last and end > first)
        return {y: columns for y, columns in wanted.items() if columns}


def _list_runs(rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yields runs of sorted rows, as (first row, row after the last)."""
    top = bottom = -1
    for y in rows:
        if top < 0:
            top = y
        elif y > bottom + BETWEEN:
            yield top, bottom
            top = y
        bottom = y + 1
    if top >= 0:
        yield top, bottom
