"""Keeps the garbage collector away from objects that live as long as the app: a full collection delays a key by 80 ms, and
with a thousand sessions by several hundred. The app collects by itself while nobody presses a key.
"""

import gc
import time
from collections.abc import Callable

START_SECONDS = 1.0
"""Seconds after which the app has loaded and rendered everything that stays in memory."""
COLLECT_SECONDS = 60.0
"""Seconds between two calls of `collect`."""
QUIET_SECONDS = 2.0
"""Seconds without a key after which a collection delays nobody."""
THRESHOLDS = (20_000, 10, 1_000_000)
"""Thresholds of Python's own collections: number of new objects, then of runs. Full collections never happen automatically."""
WHOLE_EVERY = 10
"""Number of collections after which all objects are examined again, including those that became garbage later."""


def pause() -> None:
    """Turns the garbage collector off while the app starts."""
    gc.disable()


def resume() -> None:
    """Turns it on again after `pause`, for objects created from now on. Does nothing without a `pause`."""
    if not gc.isenabled():
        gc.set_threshold(*THRESHOLDS)
        collect(0)
        gc.enable()


def collect(number: int) -> None:
    """Collects garbage, and excludes the remaining objects from later collections. Does nothing before `resume`.

    `number`: the number of earlier collections.
    """
    if gc.get_threshold() == THRESHOLDS:
        if number % WHOLE_EVERY == WHOLE_EVERY - 1:
            _forget_widths()
            gc.unfreeze()
        gc.collect()
        gc.freeze()


def _forget_widths() -> None:
    """Empties Rich's cache of the widths of texts: it keeps 4,096 texts, of which most are shown no more."""
    from rich.cells import cached_cell_len  # noqa: PLC0415  long loaded by then

    cached_cell_len.cache_clear()


class QuietCollector:
    """Collects while nobody presses a key."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key_at = float("-inf")
        self._collections = 0

    def note_key(self) -> None:
        """Notes that a key was pressed."""
        self._key_at = self._clock()

    def collect(self) -> None:
        """Collects, unless a key was pressed just now."""
        if self._clock() - self._key_at >= QUIET_SECONDS:
            collect(self._collections)
            self._collections += 1
