"""Days of a fleet in the real app without a terminal, as fast as they go: prints its memory at the end of each.

usage: python -m tests.bench.simulated_days FOLDER DAYS STEPS     (STEPS of a day, with some events each; FOLDER alone: its fleet)

The clock is simulated, all else is real: hooks write journals and state files in another process, the app reads and paints them.
Half of the sessions end each day, and others begin in their processes.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil

from atm_tui.app import AtmApp
from atm_tui.cli.main import PORTION
from atm_tui.config import Config
from atm_tui.monitor import gc_tuning
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.protocol import Stop
from tests.bench.busy_fleet import BusyFleet, continue_session

SESSIONS = 18
AGENTS = 2
EVENTS = 8
"""Of each step."""
PERIOD = 5
"""Number of steps after which all garbage is collected, which the app does every ten minutes, and today's costs are counted, which
it does every minute: of the 1,440 minutes of a day, 100 steps have 20 times both."""
DAY = 86400.0
SIZE = (140, 42)
KEYS = ("j", "j", "k", "h", "l", "G", "g", "b", "t", "escape", "escape")
"""Pressed one after the other, one at each step: they move in the tree, and show the board and the timeline."""


class SimulatedMonitor(LiveMonitor):
    """Follows a fleet by a clock that is set, and refreshes when it is told."""

    def __init__(self, folder: Path) -> None:
        self.time = time.time()
        self._hint = asyncio.Event()
        state, config, cache = folder / "state", folder / ".claude", folder / "cache"
        super().__init__(state, [config], Config(), now=lambda: self.time, portion=PORTION, cache_dir=cache)

    async def watch(self, stop: Stop) -> AsyncIterator[None]:
        """Yields at each hint."""
        while not stop.is_set():
            await self._hint.wait()
            self._hint.clear()
            yield

    def hint(self) -> None:
        """Makes the app refresh."""
        self._hint.set()


class SimulatedFleet(BusyFleet):
    """A fleet whose transcripts changed by the simulated clock: by the real one, nothing would have been spent today."""

    def say(self, number: int, at: float, path: Path | None = None) -> None:
        """As in BusyFleet."""
        super().say(number, at, path)
        os.utime(path or self.transcript(number), (at, at))


class Simulation:
    """The sessions of a fleet, which come and go."""

    def __init__(self, fleet: BusyFleet) -> None:
        self._fleet = fleet
        self._chance = random.Random(11)
        self._events = {number: continue_session(number, self._chance) for number in range(fleet.sessions)}
        self._begun = fleet.sessions

    def step(self, now: float) -> None:
        """Writes some events of any sessions."""
        for number in self._chance.choices(list(self._events), k=EVENTS):
            kind, given = next(self._events[number])
            self._fleet.send_hook(number, kind, now, given)
            if kind == "PostToolUse":
                self._fleet.say(number, now)
            self._fleet.register(number, "waiting" if kind == "PermissionRequest" else "busy", now)

    def replace_half(self, now: float) -> None:
        """Ends the sessions that began first, and begins as many others in their processes."""
        for number in list(self._events)[: self._fleet.sessions // 2]:
            self._fleet.send_hook(number, "SessionEnd", now, {"reason": "clear"})
            del self._events[number]
            new, self._begun = self._begun, self._begun + 1
            self._fleet.begin(new, self._fleet.pids.pop(number), now)
            self._events[new] = continue_session(new, self._chance)


class FleetProcess:
    """The simulation in a process of its own, so that the memory of this one is that of the app."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-m", __spec__.name, str(folder)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._wait()

    def _wait(self) -> None:
        assert self._process.stdout
        if not self._process.stdout.readline():
            raise RuntimeError("the process of the fleet has ended")

    def send(self, word: str, now: float) -> None:
        """Waits until it has done a `step`, or a `replace`."""
        assert self._process.stdin
        self._process.stdin.write(f"{word} {now}\n")
        self._process.stdin.flush()
        self._wait()

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def run_fleet(folder: Path) -> None:
    """Does what a FleetProcess sends, until stdin ends."""
    fleet = SimulatedFleet(folder, SESSIONS, AGENTS)
    try:
        fleet.fill()
        simulation = Simulation(fleet)
        print("ready", flush=True)
        for line in sys.stdin:
            word, now = line.split()
            {"step": simulation.step, "replace": simulation.replace_half}[word](float(now))
            print("done", flush=True)
    finally:
        fleet.close()


async def run_days(folder: Path, fleet: FleetProcess, days: int, steps: int) -> list[int]:
    """Returns the bytes of memory at the end of each day."""
    monitor, memory = SimulatedMonitor(folder), []
    app = AtmApp(monitor, monitor.config)
    gc_tuning.pause()
    async with app.run_test(size=SIZE) as pilot:
        gc_tuning.resume()
        for _ in range(days):
            for step in range(steps):
                # by this clock all temporary files are old: the app would remove those of hooks
                async with app._reading:
                    monitor.time += DAY / steps
                    fleet.send("step", monitor.time)
                monitor.hint()
                await pilot.press(KEYS[step % len(KEYS)])
                if step % PERIOD == PERIOD - 1:
                    await app._budgets.count(app._stop)
                    gc_tuning.collect(gc_tuning.WHOLE_EVERY - 1)
            async with app._reading:
                fleet.send("replace", monitor.time)
            gc_tuning.collect(gc_tuning.WHOLE_EVERY - 1)
            memory.append(psutil.Process().memory_info().rss)
    return memory


def main() -> None:
    """Prints the memory of each day as JSON."""
    folder, *numbers = sys.argv[1:]
    if not numbers:
        run_fleet(Path(folder))
        return
    fleet = FleetProcess(Path(folder))
    try:
        print(json.dumps(asyncio.run(run_days(Path(folder), fleet, *map(int, numbers)))))
    finally:
        fleet.close()


if __name__ == "__main__":
    main()
