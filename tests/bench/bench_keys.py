"""Key press to painted frame while events arrive, and what a minute of that load costs. The real app on a real pty.

usage: python tests/bench/bench_keys.py [--sessions 54 1000] [--rate 50] [--keys 200] [--seconds 60]

Prints figures of this one run. Aims: p50 30 ms and p99 80 ms with 54 and with 1,000 sessions of five agents each, and no
growth of memory. Nothing is asserted: machines differ.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import psutil
from busy_fleet import BusyFleet, started
from pty_screen import Screen, percentile

SIZE = (50, 160)
SELECTED = r"▌[^a-z]*(part \d+|wa\d+x\d+|project-\d+)"
"""A row of the tree with the cursor, and its name."""
KEYS = (b"j", b"j", b"j", b"\x1b[6~", b"k", b"\x1b[5~")
"""Down, a page down, up and a page up, again and again: each moves the selection."""
WARM = 5.0
"""Seconds of load before anything is measured."""


def keys(screen: Screen, presses: int, chance: random.Random) -> tuple[list[float], int]:
    """Seconds of each key, and how many were without an answer."""
    took, lost = [], 0
    for number in range(presses):
        time.sleep(0.1 + chance.random() * 0.2)
        seconds = screen.press(KEYS[number % len(KEYS)])
        if seconds is None:
            lost += 1
        else:
            took.append(seconds)
    return took, lost


def minute(process: psutil.Process, seconds: float) -> tuple[float, float, list[float]]:
    """Share of a core, the load's own excluded; switches of context a second; RSS in MB at five moments."""
    before, switches, begun = process.cpu_times(), process.num_ctx_switches().voluntary, time.perf_counter()
    memory = [process.memory_info().rss / 1e6]
    for _ in range(4):
        time.sleep(seconds / 4)
        memory.append(process.memory_info().rss / 1e6)
    after, span = process.cpu_times(), time.perf_counter() - begun
    spent = after.user + after.system - before.user - before.system
    return spent / span, (process.num_ctx_switches().voluntary - switches) / span, memory


def measure(sessions: int, rate: float, presses: int, seconds: float) -> None:
    """One fleet."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), sessions)
        screen, load = None, None
        try:
            fleet.fill()
            screen = Screen([sys.executable, "-m", "atm_tui"], fleet.make_environ(folder), SIZE, SELECTED)
            screen.want("part 0000")
            first = screen.wait("part 0000") - screen.begun
            time.sleep(2)
            load = started(fleet.folder, sessions, rate)
            writer = psutil.Process(load.pid)
            time.sleep(WARM)
            took, lost = keys(screen, presses, random.Random(3))
            print(
                f"{sessions} sessions, 5 agents each, {rate:.0f} events/s (start to their first frame {first * 1000:.0f} ms)"
            )
            if took:
                print(
                    f"  key to painted frame, {len(took)} keys: p50 {percentile(took, 0.5) * 1000:.0f} ms,"
                    f" p99 {percentile(took, 0.99) * 1000:.0f} ms, most {max(took) * 1000:.0f} ms"
                    + (f"; {lost} without an answer" if lost else "")
                )
            if seconds:
                written = writer.cpu_times()
                share, switches, memory = minute(psutil.Process(screen.pid), seconds)
                wrote = writer.cpu_times()
                theirs = (wrote.user + wrote.system - written.user - written.system) / seconds
                print(
                    f"  {seconds:.0f} s of that load: {share:.1%} of a core (the hooks: {theirs:.1%}), {switches:.0f} switches/s;"
                    f" memory {' '.join(f'{each:.1f}' for each in memory)} MB, {memory[-1] - memory[0]:+.1f} MB"
                )
        finally:
            if load is not None:
                load.kill()
                load.wait()
            if screen is not None:
                screen.close()
            fleet.close()


def main() -> None:
    """All fleets, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, nargs="+", default=[54, 1000])
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    for sessions in args.sessions:
        measure(sessions, args.rate, args.keys, args.seconds)


if __name__ == "__main__":
    main()
