"""Other machines over a real sshd on loopback: what their links cost at rest, and how soon a change there is on the screen here."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.bench.bench_rest import APP, SIZE
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.pty_screen import Screen
from tests.bench.row import Aim, Row, summarize
from tests.support.machines import Net

HOSTS = 10
SESSIONS = 5
"""On each machine, all idle."""
CHANGE = "make change"
PATIENCE = 90.0
"""Seconds in which a text must be shown."""


def measure(options: Options) -> Iterator[Row]:
    """Measures one machine beside ten, and the way of a change."""
    sshd = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if sshd is None or shutil.which("ssh") is None:
        yield Row(f"{HOSTS} hosts over ssh", None, note="sshd and ssh are not installed")
        return
    os.environ.setdefault("TZ", "UTC")
    with tempfile.TemporaryDirectory() as folder:
        net = Net(Path(folder) / "net", sshd)
        try:
            for number in range(HOSTS):
                there = net.add(f"host{number}")
                for session in range(SESSIONS):
                    name = f"idle {number} {session}"
                    there.record(f"{number}-{session}", "SessionStart", later=-3600, session_title=name)
            yield from _measure_rest(net, options)
            yield from _measure_changes(net, options)
        finally:
            net.stop()


@contextlib.contextmanager
def _run_app(net: Net, count: int) -> Iterator[Screen]:
    """Runs an app that shows the first `count` machines, once it shows the last of them."""
    home = net.folder / f"home-{count}"
    config = home / ".config" / "atm-tui" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("".join(f'[hosts.{name}]\nssh = "{name}"\n' for name in list(net.machines)[:count]), "utf-8")
    environ = make_environ(str(home))
    environ["PATH"] = f"{net.bin}:{environ['PATH']}"
    pattern = rf"(idle {count - 1} {SESSIONS - 1}|{CHANGE} \d+)"
    screen = Screen(APP, environ, (8 * HOSTS + 20, SIZE[1]), selected=pattern)
    try:
        wait_for(screen, f"idle {count - 1} {SESSIONS - 1}")
        yield screen
    finally:
        screen.close()


def wait_for(screen: Screen, text: str) -> float:
    """Waits until a row has a text; returns when it was written. Raises TimeoutError."""
    until = time.perf_counter() + PATIENCE
    while screen.selected is None or screen.selected[1] != text:
        if time.perf_counter() > until:
            raise TimeoutError(f"{text} was not shown within {PATIENCE:.0f} s")
        screen.moved.wait(0.1)
        screen.moved.clear()
    return screen.moved_at


def _sum_times(processes: list[psutil.Process]) -> float:
    """Returns the seconds of the processor that these have taken."""
    times = [each.cpu_times() for each in processes]
    return sum(each.user + each.system for each in times)


def _measure_share(processes: list[psutil.Process], seconds: float) -> float:
    """Returns the percent of a core that these take."""
    before, begun = _sum_times(processes), time.perf_counter()
    time.sleep(seconds)
    return 100 * (_sum_times(processes) - before) / (time.perf_counter() - begun)


def _list_streams(net: Net) -> list[psutil.Process]:
    """Returns the streams that run on the machines."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if "stream" in words and process.environ().get("HOME", "").startswith(str(net.folder / "machines")):
                found.append(process)
    return [each for each in found if "python" in each.name()]


def _measure_rest(net: Net, options: Options) -> Iterator[Row]:
    """Compares the app and its ssh processes with one machine and with ten."""
    shares: dict[int, float] = {}
    stream = 0.0
    for count in (1, HOSTS):
        with _run_app(net, count) as screen:
            time.sleep(options.calm_seconds)
            app = psutil.Process(screen.pid)
            links = app.children(recursive=True)
            shares[count] = _measure_share([app, *links], options.hosts_seconds)
            if count == HOSTS:
                yield Row(f"{HOSTS} hosts at rest: memory", app.memory_info().rss / 2**20, "MiB")
            else:
                stream = _measure_share(_list_streams(net), options.hosts_seconds)
    yield Row("1 host at rest: share of a core, with its ssh", shares[1], "%")
    more = shares[HOSTS] - shares[1]
    yield Row(f"{HOSTS} hosts at rest: share of a core beyond 1, with their ssh", more, "%", aim=Aim(0.3, "figure"))
    yield Row(f"a stream at rest, {SESSIONS} idle sessions: share of a core there", stream, "%")


def _measure_changes(net: Net, options: Options) -> Iterator[Row]:
    """Measures the time from a hook's record there to its text on the screen here."""
    there, took = net.machines["host0"], []
    with _run_app(net, 1) as screen:
        time.sleep(2.0)
        for number in range(options.host_changes):
            text = f"{CHANGE} {number}"
            begun = time.perf_counter()
            there.ask("0-0", text)
            took.append(1e3 * (wait_for(screen, text) - begun))
            there.record("0-0", "UserPromptSubmit", prompt="go", prompt_id=f"p{number}")
            time.sleep(0.7)
    yield summarize("a hook on another machine to the screen here", took, "ms", aim=Aim(1000, "figure"))
