"""Decides when to read again, and how much at once. Pure: the caller passes the time, in seconds of its own clock."""

from collections.abc import Collection, Iterable

REST_FACTOR = 3.0
"""The pause after a refresh, as a multiple of its duration, so that the app has time for keys."""
FIRST_PAUSE = 0.9
"""Seconds from a change of what gives no hints until it is looked at again; with each look that finds none, twice as many."""
STEP = 0.25
"""Seconds of the steps by which turns are sorted."""
LEAST_REST = 0.06
"""The shortest pause after a refresh in seconds, including rendering: more than ten frames a second are not useful."""
NAP = 2.0
"""Seconds that the wall clock may gain on the time awake; more means that the machine slept."""

SWEEP_INTERVAL = 1.0
"""Seconds between two sweeps, which check what gives no hints: processes, and transcripts of sessions without new events."""
CALM_SWEEP_INTERVAL = 5.0
"""Seconds between two sweeps when none of the last CALM_SWEEPS found a change: an idle fleet costs almost nothing."""
CALM_SWEEPS = 15
"""Number of sweeps without a change after which the fleet counts as calm."""
STILL_SWEEP_INTERVAL = 15.0
"""Seconds between two sweeps when none of the last STILL_SWEEPS found a change."""
STILL_SWEEPS = CALM_SWEEPS + 12
"""Number of sweeps without a change after which the fleet counts as still: for a minute, all were CALM_SWEEP_INTERVAL apart."""
LEEWAY = 0.1
"""Seconds by which a sweep may come early: what leads to it comes at whole seconds, more or less."""


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


class Sweeps:
    """Tells when a sweep is due: rarely while the last ones found no change."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._without_change = 0
        """Number of sweeps since the last change."""

    @property
    def interval(self) -> float:
        """Seconds between two sweeps now."""
        if self._without_change < CALM_SWEEPS:
            return SWEEP_INTERVAL
        return CALM_SWEEP_INTERVAL if self._without_change < STILL_SWEEPS else STILL_SWEEP_INTERVAL

    def is_due(self, at: float) -> bool:
        """Whether a sweep is due at `at`."""
        return at - self._last >= self.interval - LEEWAY

    def restart(self, at: float) -> None:
        """Records that a sweep began at `at`."""
        self._last = at

    def note_end(self, *, has_changed: bool) -> None:
        """Notes the end of a sweep, and whether it found a change."""
        self._without_change = 0 if has_changed else self._without_change + 1

    def note_change(self) -> None:
        """Notes a change that was found without a sweep."""
        self._without_change = 0

    def expire(self) -> None:
        """Makes a sweep due at once."""
        self._last = float("-inf")
        self._without_change = 0


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
    """Picks a few of many keys at a time: what stayed the same for longer is looked at less often."""

    def __init__(self, size: int, longest: float) -> None:
        """`size`: how many are picked at a time; `longest`: the most seconds between two looks at a key."""
        self._size = size
        self._longest = longest
        self._turns: dict[str, tuple[float, float]] = {}
        """By key: when it is looked at next, and the seconds since the look before."""
        self._due: dict[int, set[str]] = {}
        """The keys by that time, in steps of STEP."""

    def pick(self, keys: Collection[str], at: float) -> set[str]:
        """Returns the keys whose turn it is at `at`: new ones first, then those that are due for longest."""
        picked = set(sorted(set(keys).difference(self._turns))[: self._size])
        for step in sorted(self._due):
            if step > at // STEP or len(picked) >= self._size:
                break
            due = [(turn, key) for key in self._due[step] if (turn := self._turns[key][0]) <= at and key in keys]
            picked |= {key for _, key in sorted(due)[: self._size - len(picked)]}
        return picked

    def note(self, key: str, at: float, *, has_changed: bool) -> None:
        """Notes what a look at a key gave."""
        pause = (
            FIRST_PAUSE if has_changed else min(self._longest, 2 * self._turns.get(key, (0.0, 0.0))[1] or FIRST_PAUSE)
        )
        self.forget(key)
        self._turns[key] = at + pause, pause
        self._due.setdefault(int((at + pause) // STEP), set()).add(key)

    def forget(self, key: str) -> None:
        """Drops what is known of a key that is gone."""
        if (known := self._turns.pop(key, None)) is not None:
            step = int(known[0] // STEP)
            self._due[step].discard(key)
            if not self._due[step]:
                del self._due[step]

    def expire(self) -> None:
        """Makes it the turn of every key."""
        self._turns.clear()
        self._due.clear()


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
