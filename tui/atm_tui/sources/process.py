"""Looks up processes: whether a pid runs, and whether it is still the same process.

Uses /proc on Linux, and elsewhere psutil, which takes long to load.
"""

import os
import sys

from atm_tui.model.facts import ProcessFact
from atm_tui.sources.process_start import START, find_boot_time, read_running

_TTY = 4
"""Index of the terminal's device number among the fields of `read_running`."""

_MOST = 2000
"""Largest number of cached processes; the least recently used are dropped first."""


class ProcessTable:
    """Looks up running processes by pid. Facts that never change are read once."""

    def __init__(self) -> None:
        self._known: dict[int, ProcessFact] = {}
        self._boot_at: float | None = None

    def look_up(self, pid: int) -> ProcessFact | None:
        """Returns the process with this pid; None when there is none, or only a zombie.

        Pid and start identify a process: on Linux the start in clock ticks, elsewhere the time of its creation.
        """
        known = self._known.pop(pid, None)
        found = self._look_up_linux(pid, known) if sys.platform == "linux" else _look_up_by_psutil(pid)
        if found is not None:
            self._known[pid] = found if found != known else known
            if len(self._known) > _MOST:
                del self._known[next(iter(self._known))]
            return self._known[pid]
        return None

    def _look_up_linux(self, pid: int, known: ProcessFact | None) -> ProcessFact | None:
        stat = read_running(pid)
        if not stat:
            return None
        ticks = stat[START].decode("ascii", "replace")
        if known is not None and known.start == ticks:
            return known
        if self._boot_at is None:
            self._boot_at = find_boot_time()
        try:
            created_at = self._boot_at + int(ticks) / os.sysconf("SC_CLK_TCK")
            return ProcessFact(pid=pid, start=ticks, created_at=created_at, tty=name_terminal(int(stat[_TTY])))
        except ValueError:
            return ProcessFact(pid=pid, start=ticks)


def _look_up_by_psutil(pid: int) -> ProcessFact | None:
    import psutil  # noqa: PLC0415

    try:
        process = psutil.Process(pid)
        if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return None
        try:
            tty: str | None = process.terminal()
        except (psutil.Error, OSError):
            tty = None
        return ProcessFact(pid=pid, created_at=process.create_time(), tty=tty)
    except psutil.AccessDenied:  # another user's process: nothing else is known of it
        return ProcessFact(pid=pid)
    except (psutil.Error, OSError, ValueError, OverflowError):
        return None


def list_running_pids() -> frozenset[str]:
    """Returns the pids of all processes, zombies too, as texts. Raises OSError."""
    if sys.platform == "linux":
        return frozenset(each for each in os.listdir("/proc") if each.isdecimal())  # noqa: PTH208
    import psutil  # noqa: PLC0415

    return frozenset(map(str, psutil.pids()))


def name_terminal(device: int) -> str | None:
    """Returns the path of the terminal with a device number of Linux, as `/dev/pts/3`; None for any other device."""
    major, minor = os.major(device), os.minor(device)
    if 136 <= major <= 143:
        return f"/dev/pts/{minor + 256 * (major - 136)}"
    return f"/dev/tty{minor}" if major == 4 and minor < 64 else None
