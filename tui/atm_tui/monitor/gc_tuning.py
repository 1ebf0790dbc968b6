"""Keeps the collector of cycles off what lives as long as the app: going through all of it would hold a key up for some 80 ms."""

import gc

SETTLED = 1.0
"""Seconds after the start in which all is loaded and painted that stays."""


def begin() -> None:
    """For a program that is the app: collects nothing while it starts."""
    gc.disable()


def settle() -> None:
    """After `begin`: collects again, but looks no more at what is there by now. Inside another program, this does nothing."""
    if not gc.isenabled():
        gc.collect()
        gc.freeze()
        gc.enable()
