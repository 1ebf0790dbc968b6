"""Decides when each line of the scenario is played. Pure."""

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from atm_tui.demo.scenario import PERIOD, Line, Track

ROUNDS = 40
"""Rounds that are played, in about an hour. Then the demo stands still, so that no file grows without bound."""


class Step(NamedTuple):
    """A line, and when it is played: in seconds after the opening; below 0, before it."""

    at: float
    round: int
    track: int
    line: Line


class Schedule:
    """All steps in order of time.

    Round 0 lies before the opening, so that every session is in the middle of something when the demo opens.
    """

    def __init__(self, tracks: Iterable[Track], rounds: int = ROUNDS) -> None:
        self._steps = _make_steps(tuple(tracks), rounds)
        self._next = next(self._steps, None)

    @property
    def next_at(self) -> float | None:
        """When the next step is due; None after the last."""
        return self._next.at if self._next else None

    def pop_due(self, at: float) -> Iterator[Step]:
        """Yields all steps up to `at`, and removes them."""
        while self._next and self._next.at <= at:
            step, self._next = self._next, next(self._steps, None)
            yield step


def _make_steps(tracks: tuple[Track, ...], rounds: int) -> Iterator[Step]:
    once = [Step(line.t, 0, i, line) for i, track in enumerate(tracks) for line in track.lines if line.t < 0]
    again = [Step(line.t, 0, i, line) for i, track in enumerate(tracks) for line in track.lines if line.t >= 0]
    again.sort(key=_get_time)
    yield from sorted(once, key=_get_time)
    left_over: list[Step] = []
    for number in range(rounds + 1):
        shift = PERIOD * (number - 1)
        mine = [step._replace(at=step.at + shift, round=number) for step in again]
        steps = list(heapq.merge(left_over, mine, key=_get_time))
        end = shift + PERIOD
        yield from (step for step in steps if step.at < end)
        left_over = [step for step in steps if step.at >= end]
    yield from left_over


def _get_time(step: Step) -> float:
    return step.at
