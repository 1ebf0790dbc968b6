"""The lines of a request, as high as there are lines: something around it scrolls, and only what is in view is rendered."""

from collections.abc import Sequence

from textual.geometry import Size

from atm_tui.view.present import Part
from atm_tui.view.request_lines import PlacedLine
from atm_tui.widgets.line_list import LineList


class RequestLines(LineList[PlacedLine, str], can_focus=False):
    """A request of any length opens at once; no line can be selected."""

    def __init__(self) -> None:
        super().__init__(id="request-text")
        self._written_for = 0

    def show(self, lines: Sequence[PlacedLine], width: int) -> None:
        """Takes the lines, none of them wider than `width` cells."""
        self._written_for = width
        if len(lines) != self.line_count:
            self.refresh(layout=True)
        self.set_lines(lines)

    @property
    def is_whole(self) -> bool:
        """Whether there is room for all lines, and for the whole of each: in a narrow window there is not."""
        return self.size.height == self.line_count and self.size.width >= self._written_for

    @property
    def line_width(self) -> int:
        """Cells of a line: one more than there are, so that what fills a line to its end is not broken into two."""
        return self.size.width + 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (the base's names)
        """Returns the number of lines."""
        return self.line_count

    def fit_height(self) -> None:
        """Nothing scrolls in here: it is as high as its lines."""

    def write_line(self, at: int) -> Sequence[Part]:
        """Returns the text of a line."""
        return self._lines[at].parts
