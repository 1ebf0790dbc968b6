"""Keeps the garbage collector away from objects that live as long as the app: a full collection delays a key by 80 ms."""

import gc

START_SECONDS = 1.0
"""Seconds after the start until everything that stays is loaded and painted."""


def pause() -> None:
    """Turns the garbage collector off while the app starts."""
    gc.disable()


def resume() -> None:
    """After `begin`: turns it on again, for objects that are created from now on. Without `begin`, it does nothing."""
    if not gc.isenabled():
        gc.collect()
        gc.freeze()
        gc.enable()
