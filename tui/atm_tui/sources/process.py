"""The process table: does this pid run, is it still the same process, and when does it end?"""

import asyncio
import os
import resource
import sys
from collections.abc import Callable, Iterable
from functools import partial

import psutil

from atm_hooks.proc import fields
from atm_tui.model.facts import ProcessFact

_START = 19
"""Which of the fields of /proc/PID/stat behind the name is the start."""
_OVER = (b"Z", b"X", b"x")
"""States of a process that has ended."""


class ProcessTable:
    """The processes that run, by pid. What never changes of one is asked for once."""

    def __init__(self) -> None:
        self._known: dict[int, ProcessFact] = {}

    def look_up(self, pid: int) -> ProcessFact | None:
        """The process with this pid; None when there is none, or only a zombie that nobody has reaped.

        On Linux a process is named for good by its start in clock ticks; elsewhere by the time of its creation.
        """
        known = self._known.pop(pid, None)
        ticks = None
        if sys.platform == "linux":
            told = fields(pid)
            if len(told) <= _START or told[0] in _OVER:
                return None
            ticks = told[_START].decode("ascii", "replace")
            if known is not None and known.start == ticks:
                self._known[pid] = known
                return known
        try:
            process = psutil.Process(pid)
            if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                return None
            known = ProcessFact(pid=pid, start=ticks, created_at=process.create_time(), tty=_find_tty(process))
        except psutil.AccessDenied:  # someone else's: it runs, and says no more
            known = ProcessFact(pid=pid, start=ticks)
        except psutil.Error:
            return None
        self._known[pid] = known
        return known


class ExitWatcher:
    """Tells at once when one of some processes ends, where the system can (pidfd, on Linux). A kill leaves no other hint.

    Of more processes than half of what may be open, the newest ones; the others are missed at the next look.
    """

    def __init__(self, ended: Callable[[], None]) -> None:
        """`ended` is called in the event loop."""
        self._ended = ended
        self._open: dict[int, int] = {}
        self._most = _find_max_watched()

    def follow(self, pids: Iterable[int]) -> None:
        """These processes from now on, and no others. Call it in the event loop."""
        wanted = set(pids)
        for pid in set(self._open) - wanted:
            self._close(pid)
        room = self._most - len(self._open)
        for pid in sorted(wanted - set(self._open))[-room:] if room > 0 else ():
            try:
                self._open[pid] = os.pidfd_open(pid)
            except ProcessLookupError:
                self._ended()
                continue
            except (AttributeError, OSError):  # an old kernel; no descriptors left
                continue
            asyncio.get_running_loop().add_reader(self._open[pid], partial(self._told, pid))

    def _told(self, pid: int) -> None:
        self._close(pid)
        self._ended()

    def _close(self, pid: int) -> None:
        descriptor = self._open.pop(pid)
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        """Follows none any more."""
        self.follow(())


def _find_max_watched() -> int:
    """How many processes may be followed: half of what may be open stays to read by."""
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
    """When the system started, in epoch seconds."""
    return float(psutil.boot_time())
