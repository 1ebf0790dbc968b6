"""Composes a frame of only the widgets, and of them only the lines, that changed."""

from collections.abc import Iterable, Iterator

from textual._compositor import ChopsUpdate, Compositor
from textual.geometry import Region
from textual.strip import Strip

BETWEEN = 2
"""So many rows between two that changed are rendered with them: one call for all costs less than a call for each."""


class PartialCompositor(Compositor):
    """Textual's own asks every widget between the topmost and the lowest change for all of its lines."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: list[Region] | None = None
        """What a partial update is about; None: the whole screen is composed."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Renders what changed."""
        self._changed = list(self._dirty_regions)
        try:
            return super().render_partial_update()
        finally:
            self._changed = None

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Yields widgets, front to back: the region of the lines that are rendered, where it is clipped, and the lines."""
        if self._changed is None:
            yield from super()._get_renders(crop)
            return
        left = self._changed
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            changed = [part for each in left if (part := each.intersection(shown))]
            if not changed:
                continue
            for top, bottom in _list_runs(changed):
                lines = Region(shown.x, top, shown.width, bottom - top)
                yield lines, clip, widget.render_lines(lines.translate(-region.offset))
            # what a widget covers hides all that is behind it
            left = [each for each in left if not shown.contains_region(each)]
            if not left:
                return


def _list_runs(regions: Iterable[Region]) -> Iterator[tuple[int, int]]:
    """Yields runs of rows that regions cover: the first row of each, and the one below its last."""
    spans = sorted((each.y, each.bottom) for each in regions)
    top, bottom = spans[0]
    for y, end in spans[1:]:
        if y > bottom + BETWEEN:
            yield top, bottom
            top = y
        bottom = max(bottom, end)
    yield top, bottom
