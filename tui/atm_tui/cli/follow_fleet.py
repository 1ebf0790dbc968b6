"""Follows the fleet for commands that run on: until they are done, their time is over, or nobody reads what they print."""

import asyncio
import select
import stat
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from os import fstat
from typing import Any

from atm_tui.cli.clean_stream import get_stdout
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.monitor.protocol import Monitor

_NO_READER = select.POLLERR | select.POLLHUP | select.POLLNVAL


def follow_fleet(
    monitor: Monitor,
    handle: Callable[[], ExitCode | None],
    *,
    timeout: float | None = None,
    beat: Callable[[], None] | None = None,
    interval: float | None = None,
    beside: Callable[[], Coroutine[Any, Any, ExitCode]] | None = None,
) -> ExitCode:
    """Calls `handle` after each refresh that changed the fleet, until it returns an exit code; returns that code.

    Returns TIMED_OUT after `timeout` seconds, and DONE once the reader of a pipe has closed it, also while nothing is
    printed. `beat` is called every `interval` seconds. `beside` runs in the same loop, and ends all with its code. The first
    refresh is the caller's.
    """
    return asyncio.run(_follow(monitor, handle, timeout, beat, interval, beside))


async def _follow(
    monitor: Monitor,
    handle: Callable[[], ExitCode | None],
    timeout: float | None,  # noqa: ASYNC109  the end of all tasks
    beat: Callable[[], None] | None,
    interval: float | None,
    beside: Callable[[], Coroutine[Any, Any, ExitCode]] | None,
) -> ExitCode:
    running = [_refresh_until_done(monitor, handle), _wait_for_closed_pipe()]
    if beat is not None and interval is not None:
        running.append(_beat(beat, interval))
    if beside is not None:
        running.append(beside())
    tasks = [asyncio.create_task(each) for each in running]
    done, _ = await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    results = [each.result() for each in tasks if each in done]
    return results[0] if results else ExitCode.TIMED_OUT


async def _refresh_until_done(monitor: Monitor, handle: Callable[[], ExitCode | None]) -> ExitCode:
    async for _ in monitor.watch(threading.Event()):
        if await asyncio.to_thread(monitor.refresh) and (code := handle()) is not None:
            return code
    return ExitCode.DONE


async def _beat(beat: Callable[[], None], interval: float) -> ExitCode:
    while True:
        await asyncio.sleep(interval)
        beat()


async def _wait_for_closed_pipe() -> ExitCode:
    """Returns when the reader of stdout has closed it; never if stdout is no pipe or socket."""
    loop, closed = asyncio.get_running_loop(), asyncio.Event()
    descriptor = _find_pipe()
    if descriptor is not None:

        def check() -> None:
            poll = select.poll()
            poll.register(descriptor, 0)
            if any(event & _NO_READER for _, event in poll.poll(0)):
                closed.set()
            loop.remove_reader(descriptor)  # else it would be called again at once

        # the end that is written to becomes ready for reading when the other end is closed
        with suppress(OSError):
            loop.add_reader(descriptor, check)
    await closed.wait()
    return ExitCode.DONE


def _find_pipe() -> int | None:
    """Returns the descriptor of stdout if that is a pipe or socket."""
    try:
        descriptor = get_stdout().fileno()
        mode = fstat(descriptor).st_mode
    except (OSError, ValueError):
        return None
    return descriptor if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None
