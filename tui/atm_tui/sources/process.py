"""Looks up processes: whether a pid runs, whether it is still the same process, and when it ends."""

import asyncio
import os
import resource
import sys
from collections.abc import Callable, Iterable
from functools import partial

import psutil

from atm_hooks.proc import read_stat_fields
from atm_tui.model.facts import ProcessFact

_START = 19
"""Index of the start time among the fields of /proc/PID/stat that follow the name."""
_ENDED = (b"Z", b"X", b"x")
"""States of a process that has ended."""


class ProcessTable:
    """Looks up running processes by pid. Facts that never change are read once."""

    def __init__(self) -> None:
        self._known: dict[int, ProcessFact] = {}

    def look_up(self, pid: int) -> ProcessFact | None:
        """Returns the process with this pid; None when there is none, or only a zombie.

        Pid and start identify a process: on Linux the start in clock ticks, elsewhere the time of its creation.
        """
        known = self._known.pop(pid, None)
        ticks = None
        if sys.platform == "linux":
            stat = read_stat_fields(pid)
            if len(stat) <= _START or stat[0] in _ENDED:
                return None
            ticks = stat[_START].decode("ascii", "replace")
            if known is not None and known.start == ticks:
                self._known[pid] = known
                return known
        try:
            process = psutil.Process(pid)
            if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                return None
            known = ProcessFact(pid=pid, start=ticks, created_at=process.create_time(), tty=_find_tty(process))
        except psutil.AccessDenied:  # another user's process: nothing else is known of it
            known = ProcessFact(pid=pid, start=ticks)
        except (psutil.Error, OSError, ValueError, OverflowError):
            return None
        self._known[pid] = known
        return known


class ExitWatcher:
    """Reports at once when a process ends, where the system can (pidfd, on Linux): nothing else hints at a kill.

    Uses at most half of the file descriptors. Of more processes, it watches those with the highest pids; the end of the
    others is noticed at the next sweep.
    """

    def __init__(self, on_exit: Callable[[], None]) -> None:
        """`on_exit` is called in the event loop."""
        self._on_exit = on_exit
        self._open: dict[int, int] = {}
        self._max_watched = _find_max_watched()

    def follow(self, pids: Iterable[int]) -> None:
        """Watches these processes and no others. Call it in the event loop."""
        wanted = set(pids)
        for pid in set(self._open) - wanted:
            self._close(pid)
        room = self._max_watched - len(self._open)
        for pid in sorted(wanted - set(self._open))[-room:] if room > 0 else ():
            try:
                self._open[pid] = os.pidfd_open(pid)
            except ProcessLookupError:
                self._on_exit()
                continue
            except (AttributeError, OSError):  # an old kernel, or no descriptors left
                continue
            asyncio.get_running_loop().add_reader(self._open[pid], partial(self._report, pid))

    def _report(self, pid: int) -> None:
        self._close(pid)
        self._on_exit()

    def _close(self, pid: int) -> None:
        descriptor = self._open.pop(pid)
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        """Stops watching."""
        self.follow(())


def _find_max_watched() -> int:
    """Returns how many processes may be watched: half of the descriptors stay free for files."""
    if sys.platform != "linux":
        return 0
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return allowed // 2 if allowed >= 0 else 1 << 16


def _find_tty(process: psutil.Process) -> str | None:
    try:
        terminal: str | None = process.terminal()
    except (psutil.Error, OSError):
        return None
    return terminal


def find_boot_time() -> float:
    """Returns when the system started, in epoch seconds."""
    return float(psutil.boot_time())
