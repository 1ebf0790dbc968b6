"""`atm-tui watch`: from the start of a hook's process to the line that is printed."""

import json
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench_load import EVENT_PAUSE, describe_times, start_hook
from tests.bench.busy_fleet import BusyFleet
from tests.bench.options import Options
from tests.bench.processes import OURS, make_environ
from tests.bench.row import Row

SESSIONS = 54


def measure(options: Options) -> Iterator[Row]:
    """Measures events of 54 sessions, 20 a second."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), SESSIONS, agents=0)
        fleet.fill()
        try:
            took = measure_lines(fleet, options.events)
        finally:
            fleet.close()
    yield from describe_times(
        f"{SESSIONS} sessions, 20 events/s: start of a hook to its line", took, p50=None, p99=None
    )


def measure_lines(fleet: BusyFleet, events: int) -> list[float]:
    """Returns the seconds from the start of each hook to its line."""
    command = [*OURS, "watch", "--json", "--details", "--heartbeat", "3600"]
    watching = subprocess.Popen(command, env=make_environ(str(fleet.folder)), stdout=subprocess.PIPE)
    assert watching.stdout
    begun: dict[str, float] = {}
    printed: dict[str, float] = {}
    is_complete = threading.Event()

    def read(lines: Iterator[bytes]) -> None:
        for line in lines:
            printed[json.loads(line)["session"]["detail"]] = time.perf_counter()
            if len(begun) == events and begun.keys() <= printed.keys():
                is_complete.set()

    try:
        watching.stdout.readline()  # the heartbeat: from now on no change is missed
        threading.Thread(target=read, args=(iter(watching.stdout.readline, b""),), daemon=True).start()
        hooks = []
        next_at = time.perf_counter()
        for number in range(events):
            time.sleep(max(0.0, next_at - time.perf_counter()))
            next_at += EVENT_PAUSE
            text = f"m{number:05}"
            begun[f"Bash {text}"] = time.perf_counter()
            hooks.append(start_hook(fleet, number % fleet.sessions, text))
        for each in hooks:
            each.wait()
        is_complete.wait(10)
    finally:
        watching.kill()
        watching.wait()
    return [printed.get(text, at + 10) - at for text, at in begun.items()]
