"""Under load: from a key, and from an event, to the painted frame, and what a minute of events costs. The real app on a pty."""

import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from atm_hooks import hook
from tests.bench.busy_fleet import BusyFleet, start_load
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.pty_screen import Screen, percentile
from tests.bench.row import Aim, Row, compute_spread

RATE = 50.0
"""Events a second, over all sessions."""
SIZE = (50, 160)
TALL = (130, 200)
"""Rows and columns: of a terminal, and of one in which each of 54 sessions has a row."""
SELECTED = r"▌[^a-z]*(part \d+|wa\d+x\d+|project-\d+)"
"""A row of the tree with the cursor, and its name."""
KEYS = (b"j", b"j", b"j", b"\x1b[6~", b"k", b"\x1b[5~")
"""Down, a page down, up and a page up, again and again: each moves the selection."""
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    at = 0
    def compose(self):
        yield Static("▌ part 0")
    def on_key(self):
        self.at += 1
        self.query_one(Static).update(f"▌ part {self.at}")
Bare().run()
"""
"""A bare Textual app whose text changes at each key: the reference of keys."""
BARE_EACH = 4
"""Of so many keys, one is pressed in the bare app as well."""
WARM = 5.0
"""Seconds of load before anything is measured."""
EVENT_PAUSE = 0.05
"""Seconds between two events of which the text is awaited."""


@contextmanager
def open_app(sessions: int, size: tuple[int, int], agents: int) -> Iterator[tuple[BusyFleet, Screen]]:
    """Runs the app in front of a fleet, and yields both once its first session is on the screen."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), sessions, agents)
        screen = None
        try:
            fleet.fill()
            screen = Screen([sys.executable, "-m", "atm_tui"], make_environ(folder), size, SELECTED)
            screen.want("part 0000")
            screen.wait("part 0000")
            time.sleep(2)
            yield fleet, screen
        finally:
            if screen is not None:
                screen.close()
            fleet.close()


def measure(options: Options) -> Iterator[Row]:
    """Measures a fleet of usual size, and one of very many sessions."""
    for sessions in (54, options.load_sessions):
        yield from measure_load(sessions, options)


def measure_load(sessions: int, options: Options) -> Iterator[Row]:
    """Measures keys and the processor while events arrive."""
    with open_app(sessions, SIZE, agents=5) as (fleet, screen):
        load = start_load(fleet.folder, sessions, RATE)
        bare = Screen([sys.executable, "-c", BARE], make_environ(str(fleet.folder)), SIZE, SELECTED)
        try:
            time.sleep(WARM)
            took, reference, lost = press_keys(screen, bare, options.keys, random.Random(3))
            share, memory = measure_processor(psutil.Process(screen.pid), options.load_seconds)
        finally:
            bare.close()
            load.kill()
            load.wait()
    title = f"{sessions:,} sessions of 5 agents, {RATE:.0f} events/s"
    yield from describe_times(f"{title}: key to frame", took, p50=15, p99=80, bare=reference)
    if lost:
        yield Row(f"{title}: keys without a frame", lost, "", aim=Aim(0, "figure"))
    yield Row(f"{title}: share of a core", 100 * share, "%", aim=Aim(30, "figure"))
    yield Row(f"{title}: growth of memory in {options.load_seconds:.0f} s", memory, "MiB")


def describe_times(
    title: str, seconds: list[float], *, p50: float | None, p99: float | None, bare: Sequence[float] = ()
) -> Iterator[Row]:
    """Yields the rows of many times. `p50`, `p99`: the aims in milliseconds. `bare`: those of a bare Textual app."""
    if not seconds:
        yield Row(title, None, note="no frame came")
        return
    for share, most in ((0.5, p50), (0.99, p99)):
        aim = None if most is None else Aim(most, "figure")
        spread = compute_spread(seconds) if share == 0.5 else None
        taken = percentile(seconds, share)
        ratio = taken / percentile(bare, share) if bare else None
        reference = "bare Textual app" if bare else ""
        yield Row(f"{title}, p{100 * share:.0f}", 1e3 * taken, "ms", reference, ratio, aim, spread)


def press_keys(
    screen: Screen, bare: Screen, presses: int, chance: random.Random
) -> tuple[list[float], list[float], int]:
    """Returns the seconds of each key until its frame, the same of a bare app, and how many had none."""
    took: list[float] = []
    reference: list[float] = []
    lost = 0
    for number in range(presses):
        time.sleep(0.1 + chance.random() * 0.2)
        seconds = screen.press(KEYS[number % len(KEYS)])
        if seconds is None:
            lost += 1
        else:
            took.append(seconds)
        if number % BARE_EACH == 0 and (seconds := bare.press(b"j")) is not None:
            reference.append(seconds)
    return took, reference, lost


def measure_processor(process: psutil.Process, seconds: float) -> tuple[float, float]:
    """Returns the share of a core that a process takes for so long, and how many MiB its memory grows."""
    before, memory, begun = process.cpu_times(), process.memory_info().rss, time.perf_counter()
    time.sleep(seconds)
    after, span = process.cpu_times(), time.perf_counter() - begun
    spent = after.user + after.system - before.user - before.system
    return spent / span, (process.memory_info().rss - memory) / 2**20


def measure_events(options: Options) -> Iterator[Row]:
    """Measures from the start of a hook's process until its text is on the screen, at 20 events a second."""
    with open_app(54, TALL, agents=0) as (fleet, screen):
        hooks, begun = [], {}
        next_at = time.perf_counter()
        for number in range(options.events):
            time.sleep(max(0.0, next_at - time.perf_counter()))
            next_at += EVENT_PAUSE
            text = f"m{number:05}"
            screen.want(text)
            begun[text] = time.perf_counter()
            hooks.append(start_hook(fleet, number % fleet.sessions, text))
        for each in hooks:
            each.wait()
        took = [screen.wait(text, 10) - at for text, at in begun.items()]
    yield from describe_times("54 sessions, 20 events/s: start of a hook to its row", took, p50=None, p99=None)


def start_hook(fleet: BusyFleet, number: int, command: str) -> "subprocess.Popen[bytes]":
    """Starts the hook of a tool call, as it is installed."""
    words = [sys.executable, "-I", "-S", hook.__file__, str(fleet.state)]
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"{shlex.join(words)} 2>/dev/null || true"],
        stdin=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "CLAUDE_PID": str(fleet.pids[number])},
    )
    assert process.stdin
    process.stdin.write(
        fleet.make_payload(
            number, "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": command}
        )
    )
    process.stdin.close()
    return process
