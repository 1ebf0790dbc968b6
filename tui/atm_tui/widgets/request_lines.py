"""The lines of a request. The widget is as high as all lines; its container scrolls, and only lines in view are rendered."""

from collections.abc import Sequence

from textual.geometry import Size

from atm_tui.view.present import Part
from atm_tui.view.request_lines import PlacedLine
from atm_tui.widgets.line_list import LineList


class RequestLines(LineList[PlacedLine, str], can_focus=False):
    """Opens a request of any length at once; no line can be selected."""

    def __init__(self) -> None:
        super().__init__(id="request-text")
        self._written_for = 0

    def show(self, lines: Sequence[PlacedLine], width: int) -> None:
        """Sets the lines, each at most `width` cells."""
        self._written_for = width
        if len(lines) != self.line_count:
            self.refresh(layout=True)
        self.set_lines(lines)

    @property
    def is_whole(self) -> bool:
        """Whether all lines fit uncut; they don't in a narrow window."""
        return self.size.height == self.line_count and self.size.width >= self._written_for

    @property
    def line_width(self) -> int:
        """Width of a line in cells: one more than the widget's, so that a line that fills it is not wrapped."""
        return self.size.width + 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 (the base's names)
        """Returns the number of lines."""
        return self.line_count

    def fit_height(self) -> None:
        """Does nothing: the widget is as high as its lines, and does not scroll."""

    def write_line(self, at: int) -> Sequence[Part]:
        """Returns the text of a line."""
        return self._lines[at].parts
