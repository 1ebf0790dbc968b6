"""Times whole processes in pairs with a bare interpreter, so that a ratio holds although the machine's speed drifts."""

import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence

BARE = ("-I", "-S", "-c", "pass")
"""The arguments of a bare interpreter."""
START = "import sys; from atm_tui.__main__ import main; sys.argv[0] = 'atm-tui'; sys.exit(main())"
"""What the installed script does."""


def run(command: Sequence[str], environ: Mapping[str, str]) -> tuple[float, int]:
    """Returns the processor seconds that a command took, and its largest memory in bytes."""
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure_ratio(words: Sequence[str], environ: Mapping[str, str], runs: int = 15) -> tuple[float, float]:
    """Returns the median of the processor seconds of `atm-tui WORDS`, and of its ratio to a bare interpreter run in turn."""
    times, ratios = [], []
    command = [sys.executable, "-c", START, *words]
    for number in range(-1, runs):  # the first warms up
        took, bare = run(command, environ)[0], run([sys.executable, *BARE], environ)[0]
        if number >= 0:
            times.append(took)
            ratios.append(took / bare)
    return statistics.median(times), statistics.median(ratios)
