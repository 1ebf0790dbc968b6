"""Waits until an app under test has nothing left to do, judged by its event loop instead of by the processor time it takes.

Textual's pilot takes a process for idle that has used little processor time for 20 ms. On a busy machine a process that
waits for its turn looks just like that, and on a quiet one every key costs at least 40 ms. What an event loop still has
to do can be read from the loop itself.
"""

import asyncio
from time import monotonic
from typing import Any

import textual.app
import textual.pilot

SOON = 0.03
"""Seconds: a timer that is due within this time belongs to what goes on, as the one with which a screen repaints."""
PATIENCE = 0.25
"""Seconds for which threads and timers that are due soon are waited for. What takes longer is waited for by its result."""


async def wait_until_idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Returns once the running loop has nothing to do, after `min_sleep` seconds at least and `max_sleep` at most."""
    loop = asyncio.get_running_loop()
    began = monotonic()
    while (passed := monotonic() - began) < max_sleep:
        await asyncio.sleep(0)
        if _is_ready(loop):
            continue
        due = _measure_next_timer(loop)
        if passed < PATIENCE and due < SOON:
            await asyncio.sleep(max(0.0, due))
        elif passed < PATIENCE and _has_threads_at_work(loop):
            await asyncio.sleep(0.002)
        elif passed < min_sleep:
            await asyncio.sleep(min_sleep - passed)
        else:
            return


def install() -> None:
    """Makes Textual's pilot wait this way."""
    textual.app.wait_for_idle = textual.pilot.wait_for_idle = wait_until_idle  # type: ignore[attr-defined]


def _is_ready(loop: Any) -> bool:
    """Whether callbacks wait for their turn."""
    return bool(loop._ready)


def _measure_next_timer(loop: Any) -> float:
    """Seconds until the next timer of the loop is due; infinity without one."""
    due = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
    return min(due) - loop.time() if due else float("inf")


def _has_threads_at_work(loop: Any) -> bool:
    """Whether a function that the loop gave to a thread still runs."""
    executor = loop._default_executor
    return executor is not None and (
        executor._work_queue.qsize() > 0 or executor._idle_semaphore._value < len(executor._threads)
    )
