"""The lines under the filter while it hides everything: what does so, and how to take it away."""

from collections.abc import Sequence

from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from atm_tui.view.present import Part, fit_parts, make_content


class NoMatch(Static):
    """Shows one line each for the cause, the keys, and what is not listed for other reasons."""

    def __init__(self) -> None:
        super().__init__(id="no-match")
        self._lines: Sequence[Sequence[Part]] = ()

    def show(self, lines: Sequence[Sequence[Part]]) -> None:
        """Replaces the lines; without any, it is not displayed."""
        self._lines = lines
        self.display = bool(lines)
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Writes the lines for the new width."""
        self._paint()

    def _paint(self) -> None:
        width = self.size.width - 2 or self.app.size.width - 2
        self.update(Content("\n").join(make_content(*fit_parts(line, width)) for line in self._lines))
