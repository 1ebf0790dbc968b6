"""Reads when processes, and the system itself, started. Loads nothing large, for commands that must be quick."""

import sys

from atm_hooks.proc import read_stat_fields
from atm_hooks.regular_file import read_start

START = 19
"""Index of the start time among the fields of `read_running`."""
_ENDED = (b"Z", b"X", b"x")
"""States of a process that has ended."""
_MAX_STAT = 4 << 20
"""Bytes of /proc/stat that are read."""


def read_running(pid: int) -> list[bytes]:
    """Returns the fields of /proc/PID/stat after the name; empty when there is no such process, or only a zombie. Linux only."""
    stat = read_stat_fields(pid)
    return [] if len(stat) <= START or stat[0] in _ENDED else stat


def read_running_start(pid: int) -> str:
    """Returns the start of a running process in clock ticks; "" when it does not run. Linux only."""
    stat = read_running(pid)
    return stat[START].decode("ascii", "replace") if stat else ""


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
