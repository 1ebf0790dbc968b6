"""The usage of a large history: how fast it is read first, the second call, and its memory.

usage: python -m tests.bench usage        (ATM_BENCH_MB: its size, 500)
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench_transcripts import generate
from tests.bench.processes import START, measure_ratio, run
from tests.bench.row import Row

MEGABYTES = int(os.environ.get("ATM_BENCH_MB", "500"))


def measure() -> Iterator[Row]:
    """Measures the first call of `usage`, and the following ones."""
    with tempfile.TemporaryDirectory() as folder:
        size = generate(Path(folder) / "claude", MEGABYTES)
        environ = {
            **{key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL")},
            "HOME": folder,
            "ATM_STATE_DIR": f"{folder}/state",
            "CLAUDE_CONFIG_DIR": f"{folder}/claude",
            "XDG_CACHE_HOME": f"{folder}/cache",
        }
        seconds, memory = run([sys.executable, "-c", START, "usage", "--all"], environ)
        name = f"usage --all, {size // 1_000_000} MB"
        yield Row(f"{name}, first call", f"{size / 1e6 / seconds:.0f} MB/s", "", None, aims="400 MB/s")
        yield Row(f"{name}, first call", f"{memory >> 20} MB", "", None, aims="80 MB of memory")
        took, ratio = measure_ratio(["usage", "--all"], environ)
        yield Row(f"{name}, second call", f"{1e3 * took:.0f} ms", "bare interpreter", ratio, 8)
