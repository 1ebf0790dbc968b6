"""How tests wait: for a condition, with a limit that only a failure reaches, however busy the machine is."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0
"""Seconds after which something that never came is given up. Far more than it takes on a busy machine."""
POLL = 0.05
"""Seconds between two looks at a screen or file."""
LONGEST_POLL = 0.25


def poll_after(waited: float) -> float:
    """Seconds until the next look, after a wait of so many seconds: looks are processes, and what takes long needs few of them."""
    return min(max(POLL, waited / 5), LONGEST_POLL)


def wait_until(check: Callable[[], object], what: str = "it", timeout: float = PATIENCE) -> None:
    """Returns once `check` returns something true; AssertionError that `what` never came true after `timeout` seconds."""
    began = time.monotonic()
    while not check():
        waited = time.monotonic() - began
        assert waited < timeout, f"{what} never came true within {timeout} s"
        time.sleep(poll_after(waited))


async def comes_true(check: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether `check` returns something true within `seconds`. Looks often at first and then ten times a second:
    where the look is at the screen of an app, it paints all of it.
    """
    deadline, pause = time.monotonic() + seconds, 0.005
    while not check():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(pause)
        pause = min(2 * pause, 0.1)
    return True


def act_until(act: Callable[[], object], check: Callable[[], object], what: str = "it", pause: float = 1.0) -> None:
    """Acts, and again every `pause` seconds while `check` does not hold: for what may be ignored, as a key under a popup."""
    deadline = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < deadline, f"{what} never came true within {PATIENCE} s"
        act()
        until = time.monotonic() + pause
        while not check() and time.monotonic() < until:
            time.sleep(POLL)


def wait_for_tick(folder: Path) -> None:
    """Waits until the clock of the file system has gone on: what changes now has another time than what changed before."""
    probe = folder / "probe"
    probe.touch()
    before = now = probe.stat().st_ctime_ns
    while now == before:
        probe.touch()
        now = probe.stat().st_ctime_ns
