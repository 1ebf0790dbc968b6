"""When an app wakes up: at whole seconds of the clock, so that all that is due then takes one wake-up. After a pause, most of the
processor's caches belong to others, so that a wake-up costs more than what is done in it.
"""

LEAST = 0.05
"""Seconds within which the same wake-up is meant."""


def measure_pause(now: float, step: float) -> float:
    """Returns the seconds until the clock shows the next multiple of `step` seconds. `now`: what it shows, epoch seconds."""
    left = step - now % step
    return left if left > LEAST else left + step
