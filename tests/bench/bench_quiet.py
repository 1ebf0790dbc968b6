"""The app at rest, what one key writes to the terminal, and its start as a multiple of a bare Textual app: on a real pty.

usage: python -m tests.bench rest start
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.bench.busy_fleet import BusyFleet
from tests.bench.pty_screen import Screen
from tests.bench.row import Row

SESSIONS = 54
SECONDS = 30.0
SIZE = (42, 140)
"""Rows and columns."""
STARTS = 7
FIRST = "part 00"
"""The begin of the name of each session, which the first full frame has."""
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("READY")
Bare().run()
"""
SETTLE, CALM = 4.0, 40.0
"""Seconds after the first frame before anything is measured: of a busy fleet, and of one that has been idle for long."""
KEYS = 20
KEY_SECONDS = 0.5
"""For how long what a key writes is counted: the panes that follow the selection come a little later."""


@dataclass(frozen=True)
class AtRest:
    """What the app takes per second, and its memory."""

    share: float
    """Of one core."""
    switches: float
    """Voluntary switches of context."""
    written: float
    """Bytes to the terminal."""
    memory: float
    """MiB."""


def measure_rest(screen: Screen, seconds: float) -> AtRest:
    """What the app takes for so long."""
    process = psutil.Process(screen.pid)
    before, switches, written = process.cpu_times(), process.num_ctx_switches().voluntary, screen.written
    begun = time.perf_counter()
    time.sleep(seconds)
    after, span = process.cpu_times(), time.perf_counter() - begun
    return AtRest(
        (after.user + after.system - before.user - before.system) / span,
        (process.num_ctx_switches().voluntary - switches) / span,
        (screen.written - written) / span,
        process.memory_info().rss / 2**20,
    )


def measure_keys(screen: Screen) -> list[int]:
    """Bytes that each press of `k` writes; it starts below the first rows."""
    for _ in range(KEYS + 5):
        os.write(screen.fd, b"j")
        time.sleep(0.05)
    time.sleep(2)
    sizes = []
    for _ in range(KEYS):
        before = screen.written
        os.write(screen.fd, b"k")
        time.sleep(KEY_SECONDS)
        sizes.append(screen.written - before)
    return sizes


@contextmanager
def open_fleet(*, busy: bool) -> Iterator[dict[str, str]]:
    """Runs a fleet, and yields the environment of an app that follows it.

    `busy`: a third works, a third waits and a third is idle; else all have been idle for an hour.
    """
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), SESSIONS, agents=0)
        try:
            third = SESSIONS // 3 if busy else 0
            fleet.fill(age=120.0 if busy else 3600.0)
            fleet.settle(waiting=third, working=third)
            yield fleet.make_environ(folder)
        finally:
            fleet.close()


def start_screen(command: list[str], environ: dict[str, str], text: str) -> tuple[Screen, float]:
    """Starts a program; returns its screen, and the seconds until it has written a text."""
    screen = Screen(command, environ, SIZE)
    screen.want(text)
    return screen, screen.wait(text) - screen.begun


def measure() -> Iterator[Row]:
    """Measures the app at rest, and its keys."""
    for busy in (True, False):
        with open_fleet(busy=busy) as environ:
            screen, _ = start_screen([sys.executable, "-m", "atm_tui"], environ, FIRST)
            try:
                time.sleep(SETTLE if busy else CALM)
                at_rest = measure_rest(screen, SECONDS)
                name = f"at rest, {'18 work, 18 wait' if busy else 'all idle'}"
                share, most = f"{at_rest.share:.2%}", "0.8 %" if busy else "0.3 %"
                yield Row(f"{name}: processor", share, "one core", at_rest.share, aims=f"at most {most}")
                yield Row(f"{name}: memory", f"{at_rest.memory:.0f} MiB", "80 MiB", at_rest.memory / 80, 1)
                kilobytes = at_rest.written / 1000
                yield Row(f"{name}: bytes to the terminal", f"{kilobytes:.2f} KB/s", "1.5 KB/s", kilobytes / 1.5, 1)
                yield Row(f"{name}: switches of context", f"{at_rest.switches:.1f}/s", "", None)
                if busy:
                    size = statistics.median(measure_keys(screen)) / 1000
                    yield Row("one k: bytes to the terminal, median", f"{size:.1f} KB", "6 KB", size / 6, 1)
            finally:
                screen.close()


def measure_start() -> Iterator[Row]:
    """Measures the first full frame, in turn with a bare app's."""
    programs = {"bare": ([sys.executable, "-c", BARE], "READY"), "ours": ([sys.executable, "-m", "atm_tui"], FIRST)}
    took: dict[str, list[float]] = {name: [] for name in programs}
    with open_fleet(busy=True) as environ:
        for _ in range(STARTS):
            for name, (command, text) in programs.items():
                screen, seconds = start_screen(command, environ, text)
                screen.close()
                took[name].append(seconds)
    ours, bare = statistics.median(took["ours"]), statistics.median(took["bare"])
    yield Row(
        "start to the first full frame, 54 sessions", f"{1e3 * ours:.0f} ms", "bare Textual app", ours / bare, 1.5
    )
