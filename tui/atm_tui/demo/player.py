"""Plays the schedule: everything before the opening at once, the rest when it is due."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from atm_tui.cost.pricing import load_default_table
from atm_tui.demo.clients import Clients
from atm_tui.demo.place import Place
from atm_tui.demo.scenario import PERIOD, Track, read_scenario
from atm_tui.demo.schedule import ROUNDS, Schedule
from atm_tui.demo.stage import Stage


class Player:
    """The demo without a screen: its folders, its processes, and the events of its sessions."""

    def __init__(
        self,
        home: Path,
        clients: Clients,
        *,
        speed: float = 1.0,
        clock: Callable[[], float] = time.time,
        tracks: tuple[Track, ...] | None = None,
        rounds: int = ROUNDS,
    ) -> None:
        """`home`: an empty folder for the demo. Raises ScenarioError when the scenario can't be read."""
        self.place = Place(home)
        self.opened = clock()
        self._clock = clock
        self._speed = speed
        tracks = read_scenario() if tracks is None else tracks
        self._started = tuple(track.head.started for track in tracks)
        self._schedule = Schedule(tracks, rounds)
        self._stage = Stage(tracks, self.place, clients, load_default_table(), self.opened)

    def open(self) -> None:
        """Creates the folders, and plays everything before the opening.

        Raises OSError when a file can't be written.
        """
        self.place.build()
        self.catch_up()

    def catch_up(self) -> None:
        """Plays everything that is due by now."""
        for step in self._schedule.pop_due((self._clock() - self.opened) * self._speed):
            started = self._started[step.track]
            if started >= 0:  # each round has a new session
                started += PERIOD * (step.round - 1)
            self._stage.play(step, self._to_epoch(step.at), self._to_epoch(started))

    def run(self, stop: threading.Event) -> None:
        """Plays until `stop` is set or the last round is over. Raises what `catch_up` raises."""
        while (due := self._schedule.next_at) is not None:
            if stop.wait(max(0.0, self._to_epoch(due) - self._clock())):
                return
            self.catch_up()

    def _to_epoch(self, at: float) -> float:
        """Converts a time to epoch seconds. The speed applies only after the opening, so that ages look real at any speed."""
        return self.opened + (at if at <= 0 else at / self._speed)
