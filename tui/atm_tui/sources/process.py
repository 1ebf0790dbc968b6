"""The process table: does this pid run, and is it still the same process?"""

import sys

import psutil

from atm_hooks.proc import start_ticks
from atm_tui.model.facts import ProcessFact


class ProcessTable:
    """The processes that run, by pid. What never changes of one is asked for once."""

    def __init__(self) -> None:
        self._known: dict[int, ProcessFact] = {}

    def look_up(self, pid: int) -> ProcessFact | None:
        """The process with this pid; None when there is none, or only a zombie that nobody has reaped.

        On Linux a process is named for good by its start in clock ticks; elsewhere by the time of its creation.
        """
        ticks = start_ticks(pid) if sys.platform == "linux" else None
        known = self._known.pop(pid, None)
        if ticks == "":
            return None
        try:
            process = psutil.Process(pid)
            if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                return None
            if known is None or known.start != ticks or not ticks:
                known = ProcessFact(pid=pid, start=ticks, created_at=process.create_time(), tty=_tty(process))
        except psutil.AccessDenied:  # someone else's: it runs, and says no more
            known = ProcessFact(pid=pid, start=ticks)
        except psutil.Error:
            return None
        self._known[pid] = known
        return known


def _tty(process: psutil.Process) -> str | None:
    try:
        terminal: str | None = process.terminal()
    except (psutil.Error, OSError):
        return None
    return terminal


def boot_time() -> float:
    """When the system started, in epoch seconds."""
    return float(psutil.boot_time())
