"""Reads ancestors and tty of a process from the process table."""

import sys

from atm_hooks.proc import read_stat_fields
from atm_tui.sources.process import ProcessTable, name_terminal


def read_ancestors(pid: int) -> tuple[int, ...]:
    """Returns a process and its ancestors, nearest first; empty when it has ended."""
    from atm_tui.sources.ancestors import walk_up  # noqa: PLC0415  loads psutil

    return tuple(process.pid for process in walk_up(pid))


def read_tty(pid: int) -> str | None:
    """Returns the controlling terminal of a process, as `/dev/pts/3`; None when it has none."""
    # not by psutil: it caches the list of terminals, and misses those that are opened later
    if sys.platform == "linux":
        return _read_linux_tty(pid)
    import subprocess  # noqa: PLC0415

    try:
        done = subprocess.run(
            ["ps", "-o", "tty=", "-p", str(pid)], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    name = done.stdout.strip()
    return f"/dev/{name}" if name.strip("?-") else None


def _read_linux_tty(pid: int) -> str | None:
    try:
        return name_terminal(int(read_stat_fields(pid)[4]))
    except (IndexError, ValueError):
        return None


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    return ProcessTable().look_up(pid) is not None
