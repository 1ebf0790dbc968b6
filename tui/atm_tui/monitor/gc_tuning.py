"""Keeps the garbage collector away from objects that live as long as the app: a full collection delays a key by 80 ms, and
with a thousand sessions by several hundred. The app collects by itself while nobody presses a key.
"""

import contextlib
import functools
import gc
import time
from collections.abc import Callable

START_SECONDS = 1.0
"""Seconds after which the app has loaded and rendered everything that stays in memory."""
COLLECT_SECONDS = 60.0
"""Seconds between two collections."""
QUIET_SECONDS = 2.0
"""Seconds without a key after which a collection delays nobody."""
THRESHOLDS = (20_000, 10, 1_000_000)
"""Thresholds of Python's own collections: number of new objects, then of runs. Full collections never happen automatically."""
WHOLE_EVERY = 10
"""Number of collections after which all objects are examined again, including those that became garbage later."""
LARGE_CACHE = 256
"""Number of values of a bounded cache from which on it is emptied with a collection of all objects."""
_MOST_ARENAS = -8
"""The number of `M_ARENA_MAX`."""
_Cache = type(functools.lru_cache(len))


def pause() -> None:
    """Turns the garbage collector off while the app starts. Call it before any thread begins."""
    gc.disable()
    _share_memory()


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
        is_whole = number % WHOLE_EVERY == WHOLE_EVERY - 1
        if is_whole:
            gc.unfreeze()
            _empty_large_caches()
        gc.collect()
        gc.freeze()
        if is_whole:
            _return_memory()


def _share_memory() -> None:
    """Lets all threads take memory from one heap: each of their own would keep the most that it ever needed."""
    import ctypes  # noqa: PLC0415  needed once, and only in the app

    with contextlib.suppress(OSError, AttributeError):  # of the GNU C library alone
        ctypes.CDLL(None).mallopt(_MOST_ARENAS, 1)


def _return_memory() -> None:
    """Gives pages of the heap back to the system in which nothing is left: by itself, a heap keeps all but those at its end."""
    import ctypes  # noqa: PLC0415  as above

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _empty_large_caches() -> None:
    """Empties the caches of functions with many values, mostly of texts and places on the screen that are shown no more."""
    for each in gc.get_objects():
        if isinstance(each, _Cache) and (found := each.cache_info()).maxsize and found.currsize > LARGE_CACHE:
            each.cache_clear()


class QuietCollector:
    """Collects while nobody presses a key."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key_at = float("-inf")
        self._collected_at = clock()
        self._collections = 0

    def note_key(self) -> None:
        """Notes that a key was pressed."""
        self._key_at = self._clock()

    def collect(self) -> None:
        """Collects if it is time, unless a key was pressed just now."""
        now = self._clock()
        if now - self._collected_at >= COLLECT_SECONDS and now - self._key_at >= QUIET_SECONDS:
            self._collected_at = now
            collect(self._collections)
            self._collections += 1
