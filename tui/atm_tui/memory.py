"""Keeps the collector of cycles off what lives as long as the app: going through all of it would hold a key up for some 80 ms."""

import gc

SETTLED = 1.0
"""Seconds after the start in which all is loaded and painted that stays."""
OFTEN = (1_000, 10, 100)
"""After how many objects it collects the youngest, and after how many such times the older ones.

The oldest come a tenth as often as usual.
"""


def begin() -> None:
    """Collects nothing from now on, for a program that is the app: what is loaded at the start stays anyway."""
    gc.disable()


def settle() -> None:
    """After `begin`: collects again, but looks no more at what is there by now. Without it, this does nothing."""
    if not gc.isenabled():
        gc.collect()
        gc.freeze()
        gc.set_threshold(*OFTEN)
        gc.enable()
