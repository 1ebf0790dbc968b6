"""A layout of children in regions that their container works out."""

from collections.abc import Callable, Mapping

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget


class GivenLayout(Layout):
    """A layout that asks its container for regions once the size is known, so that one pass is enough."""

    name = "given"

    def __init__(self, find_regions: Callable[[Size], Mapping[Widget, Region]]) -> None:
        """`find_regions`: returns the region of each shown widget for a size (cells)."""
        self._find_regions = find_regions

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:  # noqa: ARG002 (textual's signature)
        """Places the widgets in the regions of the container; a widget without a region is hidden."""
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, widget)
            for widget, region in self._find_regions(size).items()
        ]
