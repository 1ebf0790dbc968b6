"""Keeps the garbage collector away from objects that live as long as the app: a full collection delays a key by 80 ms."""

import gc

START_SECONDS = 1.0
"""Seconds after which the app has loaded and painted everything that stays."""


def pause() -> None:
    """Turns the garbage collector off while the app starts."""
    gc.disable()


def resume() -> None:
    """Turns it on again after `pause`, for objects that are created from now on. Does nothing without a `pause`."""
    if not gc.isenabled():
        gc.collect()
        gc.freeze()
        gc.enable()
