"""Looks up processes: whether a pid runs, whether it is still the same process, and when the system started.

On Linux from /proc; psutil, which takes long to load, does it elsewhere.
"""

import os
import sys

from atm_hooks.proc import read_stat_fields
from atm_hooks.regular_file import read_start
from atm_tui.model.facts import ProcessFact

_TTY, _START = 4, 19
"""Index of the terminal's device number, and of the start time, among the fields of /proc/PID/stat that follow the name."""
_ENDED = (b"Z", b"X", b"x")
"""States of a process that has ended."""
_MAX_STAT = 4 << 20
"""Bytes of /proc/stat that are read."""


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
            self._known[pid] = found if found != known or known is None else known
            return self._known[pid]
        return None

    def _look_up_linux(self, pid: int, known: ProcessFact | None) -> ProcessFact | None:
        stat = read_stat_fields(pid)
        if len(stat) <= _START or stat[0] in _ENDED:
            return None
        ticks = stat[_START].decode("ascii", "replace")
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


def name_terminal(device: int) -> str | None:
    """Returns the path of the terminal with a device number of Linux, as `/dev/pts/3`; None for any other device."""
    major, minor = os.major(device), os.minor(device)
    if 136 <= major <= 143:
        return f"/dev/pts/{minor + 256 * (major - 136)}"
    return f"/dev/tty{minor}" if major == 4 and minor < 64 else None


def find_boot_time() -> float:
    """Returns when the system started, in epoch seconds."""
    if sys.platform == "linux":
        try:
            for line in read_start("/proc/stat", _MAX_STAT).splitlines():
                if line.startswith(b"btime "):
                    return float(line.split()[1])
        except (OSError, ValueError, IndexError):
            pass
    import psutil  # noqa: PLC0415

    return float(psutil.boot_time())
