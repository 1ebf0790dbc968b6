"""Controls the clock of a recording: pause, step, seek and speed, by keys and the time slider."""

from collections.abc import Callable

from atm_tui.monitor.time_controls import TimeControls
from atm_tui.screens.command_screen import CommandScreen, Handlers
from atm_tui.view.present import Glyphs
from atm_tui.view.replay_position import name_toggle
from atm_tui.widgets.time_slider import TimeSlider

FRAME = 0.25
"""Seconds between updates of the slider while the recording plays."""
SEEK = 0.1
"""Share of the recording by which a seek moves."""


class ReplayController:
    """Moves the clock of a recording. `widget`: the slider."""

    def __init__(
        self, recording: TimeControls, glyphs: Glyphs, moved: Callable[[], None], name_keys: Callable[[], None]
    ) -> None:
        """`moved` is called after the clock was moved, `name_keys` when the key that pauses does something else than before."""
        self._recording = recording
        self._moved = moved
        self._name_keys = name_keys
        self._toggle = name_toggle(recording)
        self.widget = TimeSlider(recording, glyphs)
        self.handlers: Handlers = {
            "pause": lambda: self._move(recording.toggle),
            "step": lambda: self._move(lambda: recording.step(+1)),
            "step_back": lambda: self._move(lambda: recording.step(-1)),
            "faster": lambda: self._move(lambda: recording.change_speed(+1)),
            "slower": lambda: self._move(lambda: recording.change_speed(-1)),
            "seek": lambda: self.seek(recording.now() + self._tenth),
            "seek_back": lambda: self.seek(recording.now() - self._tenth),
        }

    def begin(self, screen: CommandScreen) -> None:
        """Updates slider and keys while the recording plays."""
        screen.set_interval(FRAME, self._tick)

    def seek(self, at: float) -> None:
        """Moves to a time, epoch seconds."""
        self._move(lambda: self._recording.seek(at))

    def _move(self, move: Callable[[], None]) -> None:
        move()
        self._tick()
        self._moved()

    def _tick(self) -> None:
        self.widget.tick()
        if (toggle := name_toggle(self._recording)) != self._toggle:
            self._toggle = toggle
            self._name_keys()

    @property
    def _tenth(self) -> float:
        return SEEK * (self._recording.end - self._recording.begin)
