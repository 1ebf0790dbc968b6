"""When cycles are collected, so that it holds no key up: going through all that the app has loaded takes some 80 ms."""

import gc

SETTLED = 1.0
"""Seconds after the start in which all is loaded and painted that stays."""
EVERY = 10.0
"""Seconds between two times at which all that came later is gone through, where anything did."""
OFTEN = (700, 10, 1_000)
"""After how many objects the youngest are gone through, and after how many such times the older ones; the oldest hardly ever."""
_USUAL = 10


def begin() -> None:
    """For a program that is the app; inside others, and without this, `settle` and `tidy` do nothing."""
    gc.set_threshold(*OFTEN)


def settle() -> None:
    """Sets aside what is there by now: it stays as long as the app."""
    if gc.get_threshold() == OFTEN:
        gc.collect()
        gc.freeze()


def tidy() -> None:
    """Goes through what came since, where Python would have done so by now."""
    if gc.get_threshold() == OFTEN and gc.get_count()[2] >= _USUAL:
        gc.collect()
