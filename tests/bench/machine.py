"""The machine that is measured on: in a word, how busy it is, and how fast its disk is read."""

import contextlib
import os
import platform
import sys
import time
from collections.abc import Iterable
from pathlib import Path

_BLOCK = 4 << 20


def describe_machine() -> str:
    """Returns the number of cores, their kind and the version of Python."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    kind = platform.machine().replace("_", "-")
    with contextlib.suppress(OSError):
        if "hypervisor" in Path("/proc/cpuinfo").read_text():
            kind += " virtual machine"
    version = ".".join(map(str, sys.version_info[:2]))
    article = "an" if kind[:1] in "aeiox" else "a"
    return f"{cores} core{'s' * (cores > 1)} of {article} {kind}, Python {version}"


def read_load() -> float:
    """Returns the load average of the last minute."""
    return os.getloadavg()[0]


def forget_pages(paths: Iterable[Path]) -> None:
    """Lets the system drop what it holds of these files in memory, where it can, so that the next reader reads the disk."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in paths:
        with path.open("rb") as file:
            os.fdatasync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def measure_disk(paths: Iterable[Path]) -> float:
    """Returns how many seconds it takes to read these files from the disk, one after the other, and nothing else."""
    buffer = bytearray(_BLOCK)
    begun = time.perf_counter()
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.readinto(buffer):
                pass
    return time.perf_counter() - begun
