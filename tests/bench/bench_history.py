"""Months of transcripts: how fast `usage` reads them first and again, its memory, and the history of very many sessions."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.bench.machine import forget_pages, measure_disk
from tests.bench.options import Options
from tests.bench.processes import OURS, make_environ, measure_command, run
from tests.bench.pty_screen import Screen
from tests.bench.row import Aim, Row, summarize
from tests.bench.transcripts import write_history, write_past_sessions

USAGE = (*OURS, "usage", "--all")
FEW = 20
SETTLE = 1.5
"""Seconds from the first frame until the app reads what its header says of today's costs."""
PAUSE = 0.5
CALM = 0.05
"""Share of a core below which an app is calm."""
SIZE = (42, 140)
"""Rows and columns."""


def measure_usage(options: Options) -> Iterator[Row]:
    """Measures the first call of `usage`, and the following ones."""
    with tempfile.TemporaryDirectory() as folder:
        environ = make_environ(folder)
        paths = write_history(Path(environ["CLAUDE_CONFIG_DIR"]), options.history_mb)
        megabytes = sum(path.stat().st_size for path in paths) / 1e6
        name = f"usage --all, {megabytes:,.0f} MB of transcripts"
        speeds, disk, memory = [], [], []
        for _ in range(options.first_reads):
            forget_pages(paths)
            disk.append(megabytes / measure_disk(paths))
            forget_pages(paths)
            shutil.rmtree(environ["XDG_CACHE_HOME"], ignore_errors=True)
            used = run(USAGE, environ)
            speeds.append(megabytes / used.seconds)
            memory.append(used.memory / 2**20)
        wanted = Aim(min(400.0, *disk), "figure", "at least")
        yield summarize(f"{name}: first call", speeds, "MB/s", disk, reference="disk", aim=wanted)
        yield summarize(f"{name}: first call, memory", memory, "MiB", aim=Aim(80, "figure"))
        yield measure_command(f"{name}: second call", USAGE, environ, options.runs, aim=Aim(8))


def measure_screen(options: Options) -> Iterator[Row]:
    """Measures from the key of the history until its newest session stands there, with few and with many sessions."""
    few, many = ([], [])  # type: list[float], list[float]
    with tempfile.TemporaryDirectory() as folder:
        homes = {count: Path(folder, str(count)) for count in (FEW, options.past_sessions)}
        for count, home in homes.items():
            write_past_sessions(home / ".claude", count, time.time() - 60)
            (home / "state" / "app").mkdir(parents=True)
            (home / "state" / "app" / "told.json").write_text('{"greeted": 1.0}')
        for number in range(-1, options.starts):  # the first reads all transcripts
            for (count, home), took in zip(homes.items(), (few, many), strict=True):
                seconds = time_history(make_environ(str(home)), count)
                if number >= 0:
                    took.append(1e3 * seconds)
    name = f"history of {options.past_sessions:,} sessions, key to first frame"
    yield summarize(name, many, "ms", few, reference=f"{FEW} sessions", aim=Aim(1.5))


def time_history(environ: dict[str, str], count: int) -> float:
    """Starts the app, and returns the seconds from the key of the history until the newest of so many sessions is on the screen."""
    screen = Screen([sys.executable, "-m", "atm_tui"], environ, SIZE)
    try:
        newest = f"past work {count - 1:05}"
        screen.want("quit")
        screen.wait("quit")
        time.sleep(SETTLE)
        wait_until_calm(psutil.Process(screen.pid))
        screen.want(newest)
        pressed = time.perf_counter()
        os.write(screen.fd, b"H")
        return screen.wait(newest, 120) - pressed
    finally:
        screen.close()


def wait_until_calm(process: psutil.Process) -> None:
    """Waits until a process has read what it reads after its start."""
    before = -1.0
    while (used := sum(process.cpu_times()[:2])) - before > CALM * PAUSE:
        before = used
        time.sleep(PAUSE)
