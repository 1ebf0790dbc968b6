"""Composes a frame from only the visible, changed lines of widgets; places the children of one widget alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import cast

from textual._compositor import ChopsUpdate, Compositor, ReflowResult
from textual.geometry import Region, Size
from textual.map_geometry import MapGeometry
from textual.strip import Strip
from textual.widget import Widget

from atm_tui.widgets.painting import Cells

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

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lays out the screen. The result holds; Textual would lay out the screen again when it is first asked for a region."""
        result = super().reflow(parent, size)
        self._full_map_invalidated = False
        return result

    def place_children(self, parent: Widget, regions: Mapping[Widget, Region]) -> ReflowResult | None:
        """Places the children of a widget anew, and no other widget; returns which are hidden, shown and resized.

        `regions`: those of all children that are shown, in the widget; they neither overlap nor have children. None, and nothing
        done, if only a layout of the screen can place them.
        """
        maps = [each for each in (self._visible_map, None if self._full_map_invalidated else self._full_map) if each]
        if not maps or any(parent not in each for each in maps) or not all(each.is_mounted for each in regions):
            return None
        around = maps[0][parent]
        area = around.region.shrink(parent.styles.gutter)
        clip, offset = around.clip.intersection(area), area.offset - parent.scroll_offset
        before = {child: maps[0][child] for child in parent.children if child in maps[0]}
        after = {}
        for place, (child, region) in enumerate(regions.items()):
            order = (*around.order, (0, 0, place))
            shown = region.translate(offset)
            size = shown.size
            after[child] = MapGeometry(shown, order, clip, size, size, region, around.dock_gutter)
        for each in maps:
            for child in before:
                each.pop(child, None)
            each.update(after)
        self.widgets.difference_update(before)
        self.widgets.update(after)
        self._cuts = self._layers = self._layers_visible = self._visible_widgets = None
        moved = {child for child in before.keys() & after.keys() if before[child].region != after[child].region}
        come, gone = after.keys() - before.keys(), before.keys() - after.keys()
        for geometry in (*map(before.get, moved | gone), *map(after.get, moved | come)):
            if geometry is not None and (changed := geometry.clip.intersection(geometry.region)):
                self._dirty_regions.add(changed)
        return ReflowResult(
            gone, come, {child for child in moved if before[child].region.size != after[child].region.size}
        )

    def locate_cells(self, widget: Widget, cells: Sequence[Cells]) -> list[Cells] | None:
        """Returns cells of a widget in the coordinates of the screen; None if not all of them are in view."""
        if widget not in self.visible_widgets:
            return None
        region, clip = self.visible_widgets[widget]
        in_front = [
            each for _, (each, _) in takewhile(lambda item: item[0] is not widget, self.visible_widgets.items())
        ]
        covers = [each for each in in_front if each.overlaps(region)]
        located = []
        for x, y, strip in cells:
            place = Region(region.x + x, region.y + y, strip.cell_length, 1)
            if not clip.contains_region(place) or any(each.overlaps(place) for each in covers):
                return None
            located.append((place.x, place.y, strip))
        return located

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
                    for cut, part in zip(cuts, _divide(strip, [cut - shown.x for cut in cuts[1:]]), strict=False):
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


def _divide(strip: Strip, ends: list[int]) -> Sequence[Strip]:
    """Returns the parts of a strip. Textual's own keeps a whole one in its own cache: it would wait for the garbage collector."""
    inside = [end for end in ends if end <= strip.cell_length]  # a scrollbar can follow
    return [strip] if inside == [strip.cell_length] else strip.divide(inside)


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
