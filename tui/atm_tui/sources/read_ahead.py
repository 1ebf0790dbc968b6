"""Does the same with each of many paths in several processes at once, which leave their results on disk.

This process is one of them. It must have no other threads: the others are forks of it.
"""

import _signal  # type: ignore[import-not-found]  # as in __main__.py
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence

MOST_PROCESSES = 8
"""Most processes that read at the same time."""
_MOST_TASKS = 8000
"""Tasks that are handed out: all of them fit into a pipe."""
_SIZE = 8
"""Bytes of a number in a pipe."""


def count_processors() -> int:
    """Returns the number of processors that this process may use, at most MOST_PROCESSES."""
    try:
        count = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        count = os.cpu_count() or 1
    return min(count, MOST_PROCESSES)


def read_ahead(paths: Sequence[str], read: Callable[[str], int], processes: int) -> Iterator[int]:
    """Calls `read` once with each path, in so many processes; yields the sum of the bytes that it returned so far.

    What a process that ends early had begun is left out.
    """
    import select  # noqa: PLC0415  mostly, little is new

    step = len(paths) // _MOST_TASKS + 1
    tasks, more = os.pipe()
    results, told = os.pipe()
    try:
        try:
            os.write(more, b"".join(at.to_bytes(_SIZE, "little") for at in range(0, len(paths), step)))
        finally:
            os.close(more)
        helpers = _start_helpers(processes - 1, lambda: _run_helper(tasks, told, paths, step, read, results))
        os.close(told)
        told = -1
        done = 0
        try:
            while begin := os.read(tasks, _SIZE):
                at = int.from_bytes(begin, "little")
                done += sum(map(read, paths[at : at + step]))
                while select.select([results], [], [], 0)[0] and (size := os.read(results, _SIZE)):
                    done += int.from_bytes(size, "little")
                yield done
            while size := os.read(results, _SIZE):
                done += int.from_bytes(size, "little")
                yield done
        finally:
            os.close(results)  # helpers that have more to do end when they tell of a task
            results = -1
            _end_helpers(helpers)
    finally:
        for file in (tasks, results, told):
            if file >= 0:
                os.close(file)


def _start_helpers(count: int, run: Callable[[], None]) -> list[int]:
    helpers: list[int] = []
    for _ in range(count):
        try:
            helper = os.fork()
        except OSError:  # too many processes: those that there are do it
            break
        if not helper:
            code = 1
            try:
                _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
                run()
                code = 0
            finally:
                os._exit(code)
        helpers.append(helper)
    return helpers


def _run_helper(
    tasks: int, told: int, paths: Sequence[str], step: int, read: Callable[[str], int], results: int
) -> None:
    """Does tasks until there are no more, or until nobody reads what it tells."""
    os.close(results)
    while begin := os.read(tasks, _SIZE):
        at = int.from_bytes(begin, "little")
        os.write(told, sum(map(read, paths[at : at + step])).to_bytes(_SIZE, "little"))


def _end_helpers(helpers: Sequence[int]) -> None:
    """Waits for the helpers, which have nothing left to do, or can tell nobody."""
    for helper in helpers:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(helper, 0)
