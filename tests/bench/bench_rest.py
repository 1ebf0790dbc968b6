"""The app at rest, what one key writes to the terminal, and its start as a multiple of a bare Textual app: on a real pty."""

import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.bench.busy_fleet import BusyFleet
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.pty_screen import Screen
from tests.bench.row import Aim, Row, summarize

SESSIONS = 54
SIZE = (42, 140)
"""Rows and columns."""
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
SETTLE = 20.0
"""Seconds after the first frame of a busy fleet before anything is measured: it is not at rest while it has just started."""
TOP = ("top", "-d", "1")
"""A program that everybody knows, and that also writes once a second."""
PAUSE = 1.0
"""Seconds of sleep before a piece of work, as before each tick of an app at rest."""
PIECES = 15
LEAST_SHARE = 1e-4
"""Share of a core below which a program has used less than one tick of the system's clock: there is no ratio to that."""
APP = [sys.executable, "-m", "atm_tui"]
KEYS = 20
KEY_SECONDS = 0.5
"""For how long what a key writes is counted: the panes that follow the selection come a little later."""


@dataclass(frozen=True)
class IdleUsage:
    """What the app takes per second, and its memory."""

    share: float
    """Of one core."""
    switches: float
    """Voluntary switches of context."""
    written: float
    """Bytes to the terminal."""
    memory: float
    """MiB."""


def measure_often(screens: Sequence[Screen], seconds: float, times: int) -> list[list[IdleUsage]]:
    """Returns for each of some programs what it takes in spans of so many seconds, one after the other."""
    spans = [measure_rest(screens, seconds) for _ in range(times)]
    return [list(each) for each in zip(*spans, strict=True)]


def measure_rest(screens: Sequence[Screen], seconds: float) -> list[IdleUsage]:
    """What programs take for so long, side by side."""
    processes = [psutil.Process(screen.pid) for screen in screens]
    before = [(each.cpu_times(), each.num_ctx_switches().voluntary) for each in processes]
    written, begun = [screen.written for screen in screens], time.perf_counter()
    time.sleep(seconds)
    after = [(each.cpu_times(), each.num_ctx_switches().voluntary) for each in processes]
    span = time.perf_counter() - begun
    return [
        IdleUsage(
            (used.user + used.system - old.user - old.system) / span,
            (switches - had) / span,
            (screen.written - bytes_before) / span,
            process.memory_info().rss / 2**20,
        )
        for screen, process, (old, had), (used, switches), bytes_before in zip(
            screens, processes, before, after, written, strict=True
        )
    ]


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
            yield make_environ(folder)
        finally:
            fleet.close()


def start_screen(command: list[str], environ: dict[str, str], text: str) -> tuple[Screen, float]:
    """Starts a program; returns its screen, and the seconds until it has written a text."""
    screen = Screen(command, environ, SIZE)
    screen.want(text)
    return screen, screen.wait(text) - screen.begun


def _do_work() -> None:
    """Some 2 ms of work on objects of many kinds."""
    text = json.dumps({str(number): [number, str(number)] for number in range(2000)})
    json.loads(text)
    for number in range(200):
        re.sub(r"\d+", "x", text[number : number + 50])


def measure_waking(pieces: int) -> Row:
    """Measures how much longer the same work takes after a pause, when other programs have used the caches of the processor."""
    for _ in range(20):
        _do_work()
    took: dict[float, list[float]] = {0.0: [], PAUSE: []}
    for pause, times in took.items():
        for _ in range(pieces):
            time.sleep(pause)
            begun = time.thread_time()
            _do_work()
            times.append(1e3 * (time.thread_time() - begun))
    at_once, after = map(statistics.median, took.values())
    return Row("the same work after a second of sleep", after, "ms", "without a pause", after / at_once)


def measure(options: Options) -> Iterator[Row]:
    """Measures the app at rest, and its keys."""
    yield measure_waking(min(PIECES, options.runs))
    for busy in (True, False):
        with open_fleet(busy=busy) as environ:
            screen, _ = start_screen(APP, environ, FIRST)
            others = [start_screen([sys.executable, "-c", BARE], environ, "READY")[0]]
            if shutil.which(TOP[0]):
                others.append(start_screen([*TOP], environ, "PID")[0])
            try:
                time.sleep(min(SETTLE, options.calm_seconds) if busy else options.calm_seconds)
                name = f"54 sessions, {'18 work, 18 wait' if busy else 'all idle'}"
                ours, reference, *known = measure_often([screen, *others], options.rest_seconds, options.rest_spans)
                yield from describe_rest(name, ours, 0.8 if busy else 0.3, reference)
                if known:
                    yield describe_beside_top(name, ours, known[0], 2.0 if busy else 0.75)
                if busy:
                    sizes = [size / 1000 for size in measure_keys(screen)]
                    yield summarize("one k: bytes to the terminal", sizes, "KB", aim=Aim(6, "figure"))
            finally:
                for each in (screen, *others):
                    each.close()


def describe_beside_top(name: str, at_rest: Sequence[IdleUsage], top: Sequence[IdleUsage], limit: float) -> Row:
    """Returns the row of an app at rest beside `top`, which took 0.4 % of a core where the aims in percent were set."""
    return _compare_shares(f"{name}: the same, beside top", at_rest, " ".join(TOP), top, Aim(limit))


def _compare_shares(
    name: str, at_rest: Sequence[IdleUsage], reference: str, others: Sequence[IdleUsage], aim: Aim | None
) -> Row:
    is_known = others and all(each.share > LEAST_SHARE for each in others)
    references = [100 * each.share for each in others] if is_known else []
    shares = [100 * each.share for each in at_rest]
    return summarize(name, shares, "%", references, reference=reference, aim=aim)


def describe_rest(
    name: str, at_rest: Sequence[IdleUsage], percent: float | None = None, bare: Sequence[IdleUsage] = ()
) -> Iterator[Row]:
    """Yields the rows of an app at rest, which was measured once or more.

    `percent`: the most that it should take of a core; None: there are no aims. `bare`: what a bare app took meanwhile.
    """

    def aim(limit: float) -> Aim | None:
        return None if percent is None else Aim(limit, "figure")

    reference = "bare Textual app" if bare else ""
    yield _compare_shares(f"{name}: share of a core", at_rest, reference, bare, aim(percent or 0.0))
    last, memory = at_rest[-1].memory, at_rest[-1].memory / bare[-1].memory if bare else None
    yield Row(f"{name}: memory", last, "MiB", reference, memory, aim(80))
    written, switches = [each.written / 1000 for each in at_rest], [each.switches for each in at_rest]
    yield Row(f"{name}: bytes to the terminal", statistics.median(written), "KB/s", aim=aim(1.5))
    yield Row(f"{name}: switches of context", statistics.median(switches), "/s")


def measure_start(options: Options) -> Iterator[Row]:
    """Measures the first full frame, in turn with a bare app's."""
    programs = {"bare": ([sys.executable, "-c", BARE], "READY"), "ours": (APP, FIRST)}
    took: dict[str, list[float]] = {name: [] for name in programs}
    with open_fleet(busy=True) as environ:
        for _ in range(options.starts):
            for name, (command, text) in programs.items():
                screen, seconds = start_screen(command, environ, text)
                screen.close()
                took[name].append(1e3 * seconds)
    yield summarize(
        "start to the first full frame, 54 sessions",
        took["ours"],
        "ms",
        took["bare"],
        reference="bare Textual app",
        aim=Aim(1.5),
    )
