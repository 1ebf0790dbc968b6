"""One-shot commands: the second call, with 54 live sessions and 56 MB of transcripts, as a multiple of a bare interpreter.

usage: python -m tests.bench commands
"""

import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench_transcripts import lines
from tests.bench.busy_fleet import BusyFleet, name
from tests.bench.processes import measure_ratio, run
from tests.bench.row import Row

SESSIONS = 54
MEGABYTES = 56
AIMS: dict[tuple[str, ...], float] = {
    ("--version",): 3.5,
    ("--help",): 3.5,
    ("status", "--tmux"): 6,
    ("status",): 8,
    ("next", "--print"): 8,
    ("status", "--json"): 9,
}


def write_transcripts(fleet: BusyFleet, megabytes: int) -> None:
    """Adds answers, results of tools and pictures to the transcripts of a fleet, the same number of bytes to each."""
    chance, size = random.Random(5), megabytes * 1_000_000 // fleet.sessions
    for number in range(fleet.sessions):
        left = size
        with fleet.transcript(number).open("a") as out:
            for line in lines(chance, name(number)):
                if len(line) <= left:
                    left -= out.write(line)
                elif left < 20_000:
                    break


def measure() -> Iterator[Row]:
    """Measures each command."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), SESSIONS)
        fleet.fill()
        write_transcripts(fleet, MEGABYTES)
        environ = {
            **{key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL")},
            "HOME": folder,
            "ATM_STATE_DIR": str(fleet.state),
            "CLAUDE_CONFIG_DIR": str(fleet.config),
            "XDG_CACHE_HOME": f"{folder}/cache",
        }
        try:
            first, ratio = measure_first(environ)
            yield Row("status, first call", f"{1e3 * first:.0f} ms", "bare interpreter", ratio)
            for words, aim in AIMS.items():
                seconds, ratio = measure_ratio(words, environ)
                yield Row(f"{' '.join(words)}, second call", f"{1e3 * seconds:.0f} ms", "bare interpreter", ratio, aim)
        finally:
            fleet.close()


def measure_first(environ: dict[str, str]) -> tuple[float, float]:
    """The call that reads everything; there is one only."""
    import sys

    from tests.bench.processes import BARE, START

    took = run([sys.executable, "-c", START, "status"], environ)[0]
    return took, took / run([sys.executable, *BARE], environ)[0]
