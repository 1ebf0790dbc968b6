"""The lines of a request as a widget: it paints those in view only, so that a request of any length opens at once."""

from typing import ClassVar

from textual.geometry import Region, Size
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

from atm_tui.view.present import content
from atm_tui.view.request_lines import Placed


class RequestLines(Widget):
    """As high as it has lines, in something that scrolls."""

    ALLOW_SELECT: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__(id="request-text")
        self._lines: list[Placed] = []
        self._width = 0

    def show(self, lines: list[Placed], width: int) -> None:
        """Takes the lines, none of them wider than `width` cells."""
        before, self._lines, self._width = self._lines, lines, width
        if len(before) != len(lines):
            self.refresh(layout=True)
            return
        for at, (old, new) in enumerate(zip(before, lines, strict=True)):
            if old is not new and old != new:
                self.refresh(Region(0, at, self.size.width, 1))

    @property
    def is_whole(self) -> bool:
        """Whether all lines have their place, and the whole of each is there: in a narrow window it is not."""
        return self.size.height == len(self._lines) and self.size.width >= self._width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (the base's names)
        """One cell a line."""
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """One of them."""
        width = self.size.width
        if y >= len(self._lines):
            return Strip.blank(width, self.visual_style.rich_style)
        shown = content(*self._lines[y].parts)
        # a cell more, so that what fills the line is not broken
        strips = Visual.to_strips(self, shown, width + 1, 1, self.visual_style, apply_selection=False, pad=True)
        return strips[0].crop(0, width)
