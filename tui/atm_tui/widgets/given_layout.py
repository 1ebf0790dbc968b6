"""A layout for a container that says by itself where its widgets go."""

from collections.abc import Callable, Mapping

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget


class GivenLayout(Layout):
    """Asks its container, once its size is known: no second layout, and no frame that shows the first, is needed."""

    name = "given"

    def __init__(self, find_regions: Callable[[Size], Mapping[Widget, Region]]) -> None:
        """`find_regions`: returns the regions of the widgets that are shown in a container of a size (cells)."""
        self._find_regions = find_regions

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:  # noqa: ARG002 (textual's signature)
        """Places the widgets where the container wants them; one that it does not name is not shown."""
        return [
            WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, widget)
            for widget, region in self._find_regions(size).items()
        ]
