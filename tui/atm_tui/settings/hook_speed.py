"""Judges how long a hook takes, compared with an empty Python program on this machine at that moment."""

import subprocess
import time
from pathlib import Path

SLOW_MS = 250.0
"""Milliseconds from which on a hook is noticeable at each prompt."""
SLOW_RATIO = 4.0
"""Multiple of an empty program's time from which on a hook is slow; usually it is 1.5."""
LEAST_EXTRA_MS = 100.0
"""Milliseconds above the empty program that never count as slow, since they may be noise."""
RUNS = 3
"""Number of runs of the empty program; the fastest counts."""
LIMIT = 10
"""Timeout of an empty program in seconds."""


def measure_empty_program(interpreter: Path) -> float:
    """Returns the milliseconds of `python -I -S -c pass`, in a shell as hooks are; 0.0 when it can't be run."""
    fastest = 0.0
    for _ in range(RUNS):
        started = time.perf_counter()
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", '"$0" -I -S -c pass || exit 1', str(interpreter)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT,
                check=False,
                cwd="/",
            )
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return 0.0
        if done.returncode:
            return 0.0
        ms = (time.perf_counter() - started) * 1000
        fastest = min(fastest or ms, ms)
        if fastest > SLOW_MS:  # another run would not change the result
            break
    return fastest


def is_slow(ms: float, empty_ms: float) -> bool:
    """Returns whether a hook of `ms` is slow if an empty program takes `empty_ms` (0.0: unknown)."""
    return ms > SLOW_MS or (empty_ms > 0.0 and ms > SLOW_RATIO * empty_ms and ms - empty_ms > LEAST_EXTRA_MS)


def format_ratio(ms: float, empty_ms: float) -> str:
    """Formats the ratio to an empty program: `1.4 times an empty Python program`; empty when unknown."""
    return f"{ms / empty_ms:.1f} times an empty Python program" if empty_ms > 0.0 else ""


def describe_slow_hook(ms: float, empty_ms: float, interpreter: Path, otherwise: str) -> tuple[str, str]:
    """Returns the finding for a slow hook, and what to do: about Python if that itself is slow, else `otherwise`."""
    ratio = format_ratio(ms, empty_ms)
    text = f"takes {ms:.0f} ms, {ratio} ({empty_ms:.0f} ms)" if ratio else f"takes {ms:.0f} ms"
    if empty_ms > 0.0 and ms <= SLOW_RATIO * empty_ms:
        return text, f"Python itself starts slowly: look at what loads this machine, and at the disk of {interpreter}."
    return text, otherwise
