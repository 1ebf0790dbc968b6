"""A fleet through a real nats-server: from a change to the screen while many others come, and what screen and publisher take."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.bench.bench_hosts import wait_for
from tests.bench.bench_rest import APP, open_fleet
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.pty_screen import Screen, percentile
from tests.bench.row import Aim, Row
from tests.support.nats_server import NatsServer

SESSIONS = 54
"""Of each machine."""
RATE = 500.0
"""Changes a second, over all machines."""
SIZE = (50, 140)
CHANGE = "make change"
TOUR = "What you will see"
"""What a new user is shown first."""
PATIENCE = 120.0
"""Seconds in which a fleet must be shown."""


def measure(options: Options) -> Iterator[Row]:
    """Measures a large fleet under load, and a publisher at rest."""
    program = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        yield Row("a fleet through NATS", None, note="nats-server is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        server = NatsServer(Path(folder) / "nats", program)
        server.start()
        try:
            yield from _measure_screen(server, Path(folder), options)
            yield from _measure_publisher(server, options)
        finally:
            server.kill()


@contextmanager
def _run_load(server: NatsServer, machines: int) -> "Iterator[subprocess.Popen[str]]":
    """Runs a simulated fleet, once all of it is in the server."""
    words = [server.url, str(machines), str(SESSIONS), str(RATE)]
    command = [sys.executable, "-m", "tests.bench.fleet_load", *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise RuntimeError("the simulated fleet did not start")
            yield process
        finally:
            process.kill()


def _measure_screen(server: NatsServer, folder: Path, options: Options) -> Iterator[Row]:
    machines = options.fleet_machines
    name = f"{machines} machines x {SESSIONS} sessions, {RATE:.0f} changes a second"
    with _run_load(server, machines) as load:
        screen = Screen([*APP, "--nats", server.url], make_environ(str(folder / "home")), SIZE, rf"({CHANGE} \d+)")
        try:
            screen.want(CHANGE)
            assert load.stdin is not None
            screen.want(TOUR)
            screen.wait(TOUR, PATIENCE)
            os.write(screen.fd, b"\x1b")
            took = []
            for number in range(options.fleet_changes + 1):
                text = f"{CHANGE} {number:04}"
                begun = time.perf_counter()
                load.stdin.write(f"{text}\n")
                load.stdin.flush()
                seconds = wait_for(screen, text) - begun
                if number == 0:
                    yield Row(f"{name}: until the first is on the screen", seconds, "s")
                    time.sleep(options.calm_seconds / 2)
                    app = psutil.Process(screen.pid)
                    before, since = app.cpu_times(), time.perf_counter()
                else:
                    took.append(1e3 * seconds)
                    time.sleep(0.2)
            after, span = app.cpu_times(), time.perf_counter() - since
            share = 100 * (after.user + after.system - before.user - before.system) / span
            yield Row(f"{name}: change to screen, p50", percentile(took, 0.5), "ms", aim=Aim(1000, "figure"))
            yield Row(f"{name}: change to screen, p99", percentile(took, 0.99), "ms")
            yield Row(f"{name}: share of a core of the screen", share, "%")
            yield Row(f"{name}: memory of the screen", app.memory_info().rss / 2**20, "MiB")
        finally:
            screen.close()


def _measure_publisher(server: NatsServer, options: Options) -> Iterator[Row]:
    with open_fleet(busy=False) as environ:
        command = [*APP, "publish", "--nats", server.url, "--machine", "bench", "--level", "full"]
        with subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stderr is not None
                if not process.stderr.readline().startswith("Publishing"):
                    raise RuntimeError("the publisher did not start")
                time.sleep(options.calm_seconds)
                publisher = psutil.Process(process.pid)
                before, since = publisher.cpu_times(), time.perf_counter()
                time.sleep(options.hosts_seconds)
                after, span = publisher.cpu_times(), time.perf_counter() - since
                share = 100 * (after.user + after.system - before.user - before.system) / span
                name = f"a publisher of {SESSIONS} idle sessions"
                yield Row(f"{name}: share of a core", share, "%", aim=Aim(0.5, "figure"))
                yield Row(f"{name}: memory", publisher.memory_info().rss / 2**20, "MiB")
            finally:
                process.terminate()
