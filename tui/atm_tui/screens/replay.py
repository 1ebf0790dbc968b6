"""The main screen on a recording, with a slider for its time."""

from collections.abc import Callable

from atm_tui import commands
from atm_tui.config import Config
from atm_tui.model.flags import SessionFlags
from atm_tui.model.session import Session
from atm_tui.monitor.replay import Replay
from atm_tui.screens.main import MainScreen
from atm_tui.view.present import Glyphs
from atm_tui.widgets.footer import Footer
from atm_tui.widgets.time_slider import TimeSlider

FRAME = 0.25
"""Seconds between two looks at the clock while it plays."""
SEEK = 0.1
"""The share of the recording by which a seek moves."""


class ReplayScreen(MainScreen):
    """Shows a recording at the moment that its clock says."""

    BINDINGS = commands.bindings("replay")

    def __init__(self, replay: Replay, config: Config, glyphs: Glyphs) -> None:
        super().__init__(replay, config, glyphs)
        self._replay = replay
        self._slider = TimeSlider(replay, glyphs)
        self._footer = Footer(glyphs, replay=True)

    def on_mount(self) -> None:
        """Puts the slider above the footer, and follows the clock."""
        self.mount(self._slider, before=self._footer)
        self.set_interval(FRAME, self._slider.tick)

    def _moved(self, move: Callable[[], None]) -> None:
        move()
        self._slider.tick()
        self._rebuild()

    def on_time_slider_sought(self, message: TimeSlider.Sought) -> None:
        """To the moment that was clicked."""
        self._moved(lambda: self._replay.seek(message.at))

    def jump_to(self, _: Session) -> None:
        """There is nowhere to go to."""
        self.say("jump: this is a recording, not the session", trouble=True)

    def _lay(self, act: str, session: Session, flags: SessionFlags, said: str) -> None:  # noqa: ARG002 (the base's names)
        self.say(f"{act}: this is a recording, not the session", trouble=True)

    def action_pause(self) -> None:
        """Stops the clock, or lets it go on."""
        self._moved(self._replay.toggle)

    def action_step(self) -> None:
        """To the next entry."""
        self._moved(lambda: self._replay.step(+1))

    def action_step_back(self) -> None:
        """To the entry before."""
        self._moved(lambda: self._replay.step(-1))

    def action_faster(self) -> None:
        """Plays faster."""
        self._moved(lambda: self._replay.change_speed(+1))

    def action_slower(self) -> None:
        """Plays slower."""
        self._moved(lambda: self._replay.change_speed(-1))

    def action_seek(self) -> None:
        """On by a tenth."""
        self._moved(lambda: self._replay.seek(self._replay.now() + self._tenth))

    def action_seek_back(self) -> None:
        """Back by a tenth."""
        self._moved(lambda: self._replay.seek(self._replay.now() - self._tenth))

    @property
    def _tenth(self) -> float:
        return SEEK * (self._replay.end - self._replay.begin)
