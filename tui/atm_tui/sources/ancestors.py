"""Walks up the process table, from a process to its ancestors."""

from collections.abc import Iterator

import psutil


def walk_up(pid: int) -> Iterator[psutil.Process]:
    """Yields a process and its ancestors, nearest first, as far as they are visible."""
    while pid:
        try:
            process = psutil.Process(pid)
            yield process
            pid = process.ppid()
        except (psutil.Error, OSError):
            return
