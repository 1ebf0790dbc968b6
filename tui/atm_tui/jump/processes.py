"""Reads ancestors and tty of a process from the process table."""

import os
import subprocess
import sys
from pathlib import Path

import psutil


def read_ancestors(pid: int) -> tuple[int, ...]:
    """Returns a process and its ancestors, nearest first; empty when it has ended."""
    try:
        process = psutil.Process(pid)
        return (pid, *(parent.pid for parent in process.parents()))
    except psutil.Error:
        return ()


def read_tty(pid: int) -> str | None:
    """Returns the controlling terminal of a process, as `/dev/pts/3`; None when it has none."""
    # not by psutil: it caches the list of terminals, and misses those that are opened later
    if sys.platform == "linux":
        return _read_linux_tty(pid)
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
        # the name in brackets may hold spaces and brackets; the 5th field after it is the terminal's device number
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        device = int(fields[4])
    except (OSError, IndexError, ValueError):
        return None
    major, minor = os.major(device), os.minor(device)
    if 136 <= major <= 143:
        return f"/dev/pts/{minor + 256 * (major - 136)}"
    return f"/dev/tty{minor}" if major == 4 and minor < 64 else None


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return bool(psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD))
    except psutil.AccessDenied:
        return True
    except psutil.Error:
        return False
