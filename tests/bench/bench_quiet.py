"""What the app costs while nobody touches it, and what one key writes to the terminal. The real app on a real pty.

usage: python tests/bench/bench_quiet.py [--sessions 54] [--seconds 30]

Prints processor time, memory, switches of context and bytes of this one run beside their aims. Nothing is asserted:
machines differ.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from busy_fleet import BusyFleet
from pty_screen import Screen

SIZE = (42, 140)
SETTLE = 4.0
"""Seconds after the first frame before anything is measured."""
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


def make_environ(folder: str, fleet: BusyFleet) -> dict[str, str]:
    """The environment of an app that follows a fleet under `folder`."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "ATM_STATE_DIR": str(fleet.state),
        "CLAUDE_CONFIG_DIR": str(fleet.config),
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
        # the code that is measured is the one that this process has
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }


def measure(sessions: int, seconds: float, size: tuple[int, int], *, busy: bool) -> None:
    """One fleet: `busy`: a third works, a third waits and a third is idle; else all have been idle for an hour."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), sessions, agents=0)
        screen = None
        try:
            fleet.fill(age=120.0 if busy else 3600.0)
            fleet.settle(waiting=sessions // 3 if busy else 0, working=sessions // 3 if busy else 0)
            screen = Screen([sys.executable, "-m", "atm_tui"], make_environ(folder, fleet), size)
            screen.want("part 00")
            screen.wait("part 00")
            time.sleep(SETTLE)
            at_rest = measure_rest(screen, seconds)
            which = "a third works, a third waits" if busy else "all idle for an hour"
            print(f"{sessions} sessions, {which}, {size[1]}x{size[0]}, {seconds:.0f} s")
            print(
                f"  at rest: {at_rest.share:.2%} of a core (aim {0.008 if busy else 0.003:.1%}),"
                f" {at_rest.switches:.1f} switches/s, {at_rest.memory:.0f} MiB (aim 80),"
                f" {at_rest.written / 1000:.2f} KB/s to the terminal (aim 1.5)"
            )
            if busy:
                sizes = measure_keys(screen)
                print(
                    f"  one k: {statistics.median(sizes) / 1000:.1f} KB to the terminal, at most"
                    f" {max(sizes) / 1000:.1f} KB (aim 6; where a second of all ages fell into it, that too)"
                )
        finally:
            if screen is not None:
                screen.close()
            fleet.close()


def main() -> None:
    """Both fleets, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, default=54)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rows", type=int, default=SIZE[0])
    parser.add_argument("--columns", type=int, default=SIZE[1])
    args = parser.parse_args()
    for busy in (True, False):
        measure(args.sessions, args.seconds, (args.rows, args.columns), busy=busy)


if __name__ == "__main__":
    main()
