"""Whether a part of a widget is on the screen: inside what it scrolls in, and covered by nothing."""

from textual.errors import NoWidget
from textual.geometry import Region
from textual.widget import Widget


def is_in_view(widget: Widget, part: Region) -> bool:
    """Whether each cell of `part` (in cells from the widget's top left on the screen) shows this widget."""
    if not widget.is_attached or part.area == 0:
        return False
    screen = widget.screen
    at = part.translate(widget.region.offset)
    try:
        return all(
            screen.get_widget_at(x, y)[0] is widget for y in range(at.y, at.bottom) for x in range(at.x, at.right)
        )
    except NoWidget:
        return False
