"""The time slider of a replay: a bar that can be clicked, and a line that says which moment it is."""

from datetime import datetime

from rich.cells import cell_len
from textual.events import MouseDown, MouseMove, MouseUp, Resize
from textual.message import Message
from textual.widgets import Static

from atm_tui.monitor.replay import Replay
from atm_tui.view.present import Glyphs, Part, clean, content, spread


def clock(at: float) -> str:
    """A time of day, with tenths of a second."""
    moment = datetime.fromtimestamp(at).astimezone()
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 100_000}"


def span(seconds: float) -> str:
    """A position in a recording: 1:05, 2:10:00."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def words(replay: Replay, glyphs: Glyphs) -> tuple[list[Part], list[Part]]:
    """What stands at the left and at the right under the bar."""
    now = replay.now()
    passed, entries = replay.position
    if replay.paused:
        sign: Part = ("paused", "needs")
    elif now >= replay.end:
        sign = ("at the end", "muted")
    else:
        sign = (f"{'>' if glyphs.ascii else '▶'} {replay.speed:g}x", "working")
    left: list[Part] = [
        sign,
        ("  ", "plain"),
        (clock(now), "strong"),
        ("  ", "plain"),
        (clean(replay.entry_words()), "muted"),
    ]
    place = f"{passed} of {entries}   {span(now - replay.begin)} / {span(replay.end - replay.begin)}"
    speed = f"{replay.speed:g}x   " if replay.paused or now >= replay.end else ""
    return left, [("  ", "plain"), (speed + place, "muted")]


def bar(replay: Replay, width: int, glyphs: Glyphs) -> list[Part]:
    """The bar, `width` cells wide, with a knob where the clock is."""
    length = replay.end - replay.begin
    at = round((replay.now() - replay.begin) / length * (width - 1)) if length > 0 else width - 1
    full, knob, rest = ("=", "O", "-") if glyphs.ascii else ("━", "●", "─")
    return [(full * at, "key"), (knob, "key"), (rest * (width - 1 - at), "track")]


class TimeSlider(Static):
    """Two lines: the bar, and the moment in words."""

    ALLOW_SELECT = False

    class Sought(Message):
        """The user points at a moment: `at`, in epoch seconds."""

        def __init__(self, at: float) -> None:
            super().__init__()
            self.at = at

    def __init__(self, replay: Replay, glyphs: Glyphs) -> None:
        super().__init__(id="slider")
        self._replay = replay
        self._glyphs = glyphs
        self._shown: list[list[Part]] = []
        self._dragged = False

    def tick(self) -> None:
        """The clock went on: paints what reads otherwise."""
        width = self.content_size.width
        if width < 2:
            return
        left, right = words(self._replay, self._glyphs)
        short = sum(cell_len(text) for text, _ in right) > width // 2
        lines = [bar(self._replay, width, self._glyphs), spread(left, [] if short else right, width)]
        if lines != self._shown:
            self._shown = lines
            self.update(content(*lines[0], ("\n", "plain"), *lines[1]), layout=False)

    def on_resize(self, _: Resize) -> None:
        """Draws the bar anew."""
        self.tick()

    def on_mouse_down(self, event: MouseDown) -> None:
        """To the moment under the pointer, which then can be dragged."""
        if event.y == 0:
            self._dragged = True
            self.capture_mouse()
            self._seek(event.x)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Follows the pointer while it drags."""
        if self._dragged:
            self._seek(event.x)

    def on_mouse_up(self, _: MouseUp) -> None:
        """The pointer lets go."""
        if self._dragged:
            self._dragged = False
            self.release_mouse()

    def _seek(self, x: int) -> None:
        share = min(max((x - self.gutter.left) / max(1, self.content_size.width - 1), 0.0), 1.0)
        length = self._replay.end - self._replay.begin
        self.post_message(self.Sought(self._replay.begin + share * length))
