"""Renders lines of parts without Textual's Content, which works out every style and every wrap anew: a tenth of the time."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style as SegmentStyle
from textual.geometry import Region
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget

from atm_tui.view.present import ROLES, Part, make_content


def render_without_rules(widget: Widget, crop: Region) -> list[Strip] | None:
    """Renders rows of a widget that has nothing around or over its content, without a look at each rule of the style sheet for
    each row; None for any other widget.
    """
    width = widget.size.width
    if widget.styles.gutter.totals != (0, 0) or widget.styles.opacity != 1.0 or crop.x or crop.width < width:
        return None
    behind, background = widget.background_colors
    filters, fill = widget.get_line_filters(), SegmentStyle(bgcolor=(behind + background).rich_color)
    strips = []
    for y in crop.line_range:
        strip = widget.render_line(y)
        if strip.cell_length != width:
            strip = strip.crop_extend(0, width, fill)
        for each in filters:
            strip = strip.apply_filter(each, background)
        strips.append(strip)
    return strips


class LineStyles:
    """The styles of the roles on the backgrounds of a widget. They hold until its colours change: then `forget` them."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[Style, dict[str, SegmentStyle]] = {}

    def forget(self) -> None:
        """Works out all styles again."""
        self._known.clear()

    def render(self, parts: Sequence[Part], width: int, base: Style) -> Strip:
        """Renders text in `width` cells, on the background of `base`."""
        styles = self._known.setdefault(base, {})
        segments = [Segment(text, styles.get(role) or self._add(base, role)) for text, role in parts if text]
        strip = Strip(segments)
        if strip.cell_length > width or not all(text.isprintable() for text, _ in parts):
            # too long, or of several lines: Textual knows where to cut
            content = make_content(*parts)
            return Visual.to_strips(self._widget, content, width, 1, base, apply_selection=False, pad=True)[0]
        return strip.extend_cell_length(width, styles.get("") or self._add(base, ""))

    def _add(self, base: Style, role: str) -> SegmentStyle:
        """Returns how a role reads on a background, as Content has it; an empty role is what fills up a line."""
        if role:
            own = self._widget._get_style(ROLES[role])  # noqa: SLF001 (what Content is given, too)
            style = (base + Style.combine([base, own])).rich_style
        else:
            style = (base + Style(reverse=False)).rich_style
        self._known[base][role] = style
        return style
