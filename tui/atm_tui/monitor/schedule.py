"""When to read again, and how much at once. Pure: every time is passed in, in seconds of whatever clock the caller uses."""

from collections.abc import Iterable, Sequence

REST_FACTOR = 3.0
"""The pause after a refresh, as a multiple of the time that it took: the app has keys to answer."""
LEAST_REST = 0.06
"""Seconds of pause after a refresh at least, painting included: nobody reads more than some ten frames a second."""
NAP = 2.0
"""Seconds by which the wall clock may gain on the time awake before the machine must have slept in between."""


def compute_rest(took: float) -> float:
    """Seconds for which to read nothing after a refresh that took `took` seconds."""
    return max(LEAST_REST, REST_FACTOR * took)


def measure_time_until(times: Iterable[float | None], now: float) -> float | None:
    """Seconds from `now` to the earliest of these times, 0 when it has passed; None when there is none."""
    due = min((time for time in times if time is not None), default=None)
    return None if due is None else max(0.0, due - now)


class Interval:
    """Says when something is due that should happen once in a while."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: from one time to the next; the first one is due at once."""
        self._seconds = seconds
        self._last = float("-inf")

    def is_due(self, at: float) -> bool:
        """Whether it should happen at `at`."""
        return at - self._last >= self._seconds

    def restart(self, at: float) -> None:
        """It happened at `at`."""
        self._last = at

    def expire(self) -> None:
        """Makes it due at once."""
        self._last = float("-inf")


class SleepDetector:
    """Notices that the machine slept: the wall clock went on, and the clock that counts only the time awake did not."""

    def __init__(self, now: float, awake: float) -> None:
        """`now`: the wall clock in epoch seconds; `awake`: the seconds for which the machine did not sleep."""
        self._asleep = now - awake
        self.woke_at = 0.0
        """When the machine was first seen awake after its last sleep, in epoch seconds; 0: no sleep was seen."""

    def update(self, now: float, awake: float) -> None:
        """Compares both clocks, with the arguments of the constructor."""
        asleep = now - awake
        if asleep - self._asleep > NAP:
            self.woke_at = now
        self._asleep = asleep


class TurnTaker:
    """Picks the next few of many, so that each has its turn."""

    def __init__(self, size: int) -> None:
        """`size`: how many are picked at a time."""
        self._size = size
        self._first = 0

    def next_group(self, keys: Sequence[str]) -> set[str]:
        """Returns the next group; after the last one it starts again."""
        first, self._first = self._first, self._first + self._size
        if self._first >= len(keys):
            self._first = 0
        return set(keys[first : first + self._size])


class ReadBudget:
    """Limits the bytes that one refresh reads."""

    def __init__(self, limit: int | None) -> None:
        """`limit`: bytes per refresh; None: no limit."""
        self._limit = limit
        self.left = limit
        """Bytes that may still be read in this refresh; None: as many as there are."""

    def reset(self) -> None:
        """A refresh begins."""
        self.left = self._limit

    def spend(self, count: int) -> None:
        """`count` bytes were read."""
        if self.left is not None:
            self.left = max(0, self.left - count)
