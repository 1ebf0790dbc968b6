"""When each line of the scenario is played: all that is due at a moment, in order. Pure."""

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from atm_tui.demo.scenario import PERIOD, Line, Track

ROUNDS = 40
"""Rounds that are played, about an hour; then the stage rests, so that no file grows without bound."""


class Step(NamedTuple):
    """A line at its time: seconds since the demo opened; what is before 0 has happened by then."""

    at: float
    round: int
    track: int
    line: Line


class Schedule:
    """Hands out the steps in the order of time.

    Opens at the seam of two rounds: round 0 lies before it, so that every session is in the middle of something.
    """

    def __init__(self, tracks: Iterable[Track], rounds: int = ROUNDS) -> None:
        self._steps = _steps(tuple(tracks), rounds)
        self._next = next(self._steps, None)

    @property
    def next_at(self) -> float | None:
        """When the next step is due; None after the last."""
        return self._next.at if self._next else None

    def due(self, at: float) -> Iterator[Step]:
        """Takes all steps up to a moment."""
        while self._next and self._next.at <= at:
            step, self._next = self._next, next(self._steps, None)
            yield step


def _steps(tracks: tuple[Track, ...], rounds: int) -> Iterator[Step]:
    once = [Step(line.t, 0, i, line) for i, track in enumerate(tracks) for line in track.lines if line.t < 0]
    again = [Step(line.t, 0, i, line) for i, track in enumerate(tracks) for line in track.lines if line.t >= 0]
    again.sort(key=_order)
    yield from sorted(once, key=_order)
    open_still: list[Step] = []
    for number in range(rounds + 1):
        shift = PERIOD * (number - 1)
        mine = [step._replace(at=step.at + shift, round=number) for step in again]
        steps = list(heapq.merge(open_still, mine, key=_order))
        end = shift + PERIOD
        yield from (step for step in steps if step.at < end)
        open_still = [step for step in steps if step.at >= end]
    yield from open_still


def _order(step: Step) -> float:
    return step.at
