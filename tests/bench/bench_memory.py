"""Memory over a long time: a simulated week of sessions that come and go, in the real app."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tests.bench import simulated_days
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.row import Aim, Row

WARM_UP = 2
"""Days after which memory should no longer grow: files of sessions are kept for one day."""


def measure(options: Options) -> Iterator[Row]:
    """Measures the memory after the first days, and at the end."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", simulated_days.__name__, folder, str(options.days), str(options.steps)]
        done = subprocess.run(words, env=make_environ(folder), check=True, capture_output=True, text=True)
    memory = [each / 2**20 for each in json.loads(done.stdout.splitlines()[-1])]
    name = f"{options.days} days of {simulated_days.SESSIONS} sessions, simulated"
    yield Row(f"{name}: memory at the end", memory[-1], "MiB", aim=Aim(80, "figure"))
    yield Row(f"{name}: growth after day {WARM_UP}", memory[-1] - memory[WARM_UP - 1], "MiB", aim=Aim(1, "figure"))
