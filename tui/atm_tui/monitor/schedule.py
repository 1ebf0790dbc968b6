"""Decides when to read again, and how much at once. Pure: the caller passes the time, in seconds of its own clock."""

from collections.abc import Iterable, Sequence

REST_FACTOR = 3.0
"""The pause after a refresh, as a multiple of its duration, so that the app has time for keys."""
LEAST_REST = 0.06
"""The shortest pause after a refresh in seconds, including rendering: more than ten frames a second are not useful."""
NAP = 2.0
"""Seconds that the wall clock may gain on the time awake; more means that the machine slept."""


def compute_rest(took: float) -> float:
    """Returns the seconds to pause after a refresh that took `took` seconds."""
    return max(LEAST_REST, REST_FACTOR * took)


def measure_time_until(times: Iterable[float | None], now: float) -> float | None:
    """Returns the seconds from `now` to the earliest of these times, 0 when it has passed; None without any."""
    due = min((time for time in times if time is not None), default=None)
    return None if due is None else max(0.0, due - now)


class Interval:
    """Tells when something is due that should happen at intervals."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: the length of the interval. The first time is due at once."""
        self._seconds = seconds
        self._last = float("-inf")

    def is_due(self, at: float) -> bool:
        """Whether it is due at `at`."""
        return at - self._last >= self._seconds

    def restart(self, at: float) -> None:
        """Records that it happened at `at`."""
        self._last = at

    def expire(self) -> None:
        """Makes it due at once."""
        self._last = float("-inf")


class SleepDetector:
    """Detects that the machine slept: the wall clock went on, but not the clock that counts only the time awake."""

    def __init__(self, now: float, awake: float) -> None:
        """`now`: the wall clock in epoch seconds; `awake`: seconds without those asleep."""
        self._asleep = now - awake
        self.woke_at = 0.0
        """When the machine was first seen awake after its last sleep, in epoch seconds; 0: it did not sleep."""

    def update(self, now: float, awake: float) -> None:
        """Compares the two clocks; arguments as in the constructor."""
        asleep = now - awake
        if asleep - self._asleep > NAP:
            self.woke_at = now
        self._asleep = asleep


class TurnTaker:
    """Picks a few of many keys at a time, so that each gets its turn."""

    def __init__(self, size: int) -> None:
        """`size`: how many are picked at a time."""
        self._size = size
        self._first = 0

    def next_group(self, keys: Sequence[str]) -> set[str]:
        """Returns the next keys; after the last one starts again."""
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
        """Bytes that may still be read in this refresh; None: no limit."""

    def reset(self) -> None:
        """Begins a new refresh."""
        self.left = self._limit

    def spend(self, count: int) -> None:
        """Records that `count` bytes were read."""
        if self.left is not None:
            self.left = max(0, self.left - count)
