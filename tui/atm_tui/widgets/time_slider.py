"""The time slider of a replay: a bar that can be clicked, and a line with the position."""

from rich.cells import cell_len
from textual.events import MouseDown, MouseMove, MouseUp, Resize
from textual.message import Message
from textual.widgets import Static

from atm_tui.monitor.time_controls import TimeControls
from atm_tui.view.present import Glyphs, Part, make_content, spread
from atm_tui.view.replay_position import write_bar, write_position


class TimeSlider(Static):
    """Two lines: the bar, and the position."""

    ALLOW_SELECT = False

    class Sought(Message):
        """The user chose a time: `at`, in epoch seconds."""

        def __init__(self, at: float) -> None:
            super().__init__()
            self.at = at

    def __init__(self, replay: TimeControls, glyphs: Glyphs) -> None:
        super().__init__(id="slider")
        self._replay = replay
        self._glyphs = glyphs
        self._shown: list[list[Part]] = []
        self._dragged = False

    def tick(self) -> None:
        """Renders the lines that changed."""
        width = self.content_size.width
        if width < 2:
            return
        left, right = write_position(self._replay, self._glyphs)
        short = sum(cell_len(text) for text, _ in right) > width // 2
        lines = [write_bar(self._replay, width, self._glyphs), spread(left, [] if short else right, width)]
        if lines != self._shown:
            self._shown = lines
            self.update(make_content(*lines[0], ("\n", "plain"), *lines[1]), layout=False)

    def on_resize(self, _: Resize) -> None:
        """Draws the bar for the new width."""
        self.tick()

    def on_mouse_down(self, event: MouseDown) -> None:
        """Goes to the time under the pointer, and starts dragging."""
        if event.y == 0:
            self._dragged = True
            self.capture_mouse()
            self._seek(event.x)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Goes to the time under the pointer while dragging."""
        if self._dragged:
            self._seek(event.x)

    def on_mouse_up(self, _: MouseUp) -> None:
        """Ends the drag."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()

    def _seek(self, x: int) -> None:
        share = min(max((x - self.gutter.left) / max(1, self.content_size.width - 1), 0.0), 1.0)
        length = self._replay.end - self._replay.begin
        self.post_message(self.Sought(self._replay.begin + share * length))
