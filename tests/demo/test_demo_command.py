"""`atm-tui demo` in a terminal: it leaves the user's folders alone, and nothing behind."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from atm_tui.cli import demo as command
from atm_tui.cli import main as cli
from atm_tui.cli.arguments import make_parser
from atm_tui.demo.clients import Clients
from atm_tui.demo.player import Player
from atm_tui.demo.scenario import PERIOD
from tests.support.effort import sample
from tests.support.waiting import PATIENCE


class Terminal:
    """The demo in a terminal of its own, with a home and a folder for temporary files that are both empty."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.home, self.temp = folder / "home", folder / "temp"
        self.home.mkdir()
        self.temp.mkdir()
        keep = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ") if name in os.environ}
        xdg = {f"XDG_{name}_HOME": str(self.home / name) for name in ("STATE", "DATA", "CONFIG", "CACHE")}
        environ = {**keep, **xdg, "HOME": str(self.home), "TMPDIR": str(self.temp), "TERM": "xterm-256color"}
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-m", "atm_tui", "demo", *options],
            stdin=slave, stdout=slave, stderr=slave, env={**environ, "COLUMNS": "120", "LINES": "40", "PYTHONUTF8": "1"},
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.screen = b""

    def read(self, until: bytes, seconds: float = PATIENCE) -> None:
        """Reads on until these bytes have been painted."""
        end = time.monotonic() + seconds
        while until not in self.screen:
            assert time.monotonic() < end, self.screen[-3000:]
            if select.select([self._master], [], [], 0.2)[0]:
                try:
                    self.screen += os.read(self._master, 65536)
                except OSError:  # the other side has gone
                    assert until in self.screen, self.screen[-3000:]

    def send(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def wait(self, seconds: float = PATIENCE) -> int:
        """The exit code."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end
            if select.select([self._master], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    self.screen += os.read(self._master, 65536)
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path)
    yield made
    made.close()


def test_the_demo_shows_its_sessions_and_leaves_no_files(terminal: Terminal) -> None:
    for name in (b"Sort by price", b"Terraform state", b"Login button"):
        terminal.read(name)
    children = psutil.Process(terminal.process.pid).children(recursive=True)
    assert sum(child.name() == "cat" for child in children) >= 6
    assert list(terminal.temp.iterdir())
    terminal.send(b"q")
    assert terminal.wait() == 0
    assert list(terminal.temp.iterdir()) == []
    assert list(terminal.home.iterdir()) == []
    assert not any(child.is_running() for child in children)


@pytest.mark.parametrize("number", sample([signal.SIGTERM, signal.SIGHUP], signal.SIGTERM))
def test_a_signal_removes_everything_too(terminal: Terminal, number: signal.Signals) -> None:
    terminal.read(b"Sort by price")
    children = psutil.Process(terminal.process.pid).children(recursive=True)
    terminal.process.send_signal(number)
    assert terminal.wait() == 128 + number
    assert list(terminal.temp.iterdir()) == []
    assert list(terminal.home.iterdir()) == []
    assert not any(child.is_running() for child in children)


def test_processes_end_even_when_the_demo_is_killed(terminal: Terminal) -> None:
    terminal.read(b"Sort by price")
    children = psutil.Process(terminal.process.pid).children(recursive=True)
    assert children
    terminal.process.kill()
    assert psutil.wait_procs(children, timeout=PATIENCE)[1] == []


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "atm_tui", "demo"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
        check=False, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("speed", ["0", "-1", "101", "nan", "inf", "fast", ""])
def test_an_impossible_speed_is_refused(speed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["demo", f"--speed={speed}"])
    assert left.value.code == 2
    assert "at most 100" in capsys.readouterr().err


def test_speeds_are_accepted() -> None:
    assert make_parser("demo").parse_args(["demo"]).speed == 1.0
    assert make_parser("demo").parse_args(["demo", "--speed", "2.5"]).speed == 2.5


def test_the_demo_plays_to_the_end_at_100_times_the_speed(tmp_path: Path) -> None:
    with Clients() as clients:
        player = Player(tmp_path, clients, speed=100, rounds=1)
        player.open()
        player.run(threading.Event())
        assert PERIOD / 100 <= time.time() - player.opened < PERIOD / 2


def test_the_demo_stops_on_request(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with Clients() as clients:
        player = Player(tmp_path, clients, speed=0.001)
        player.open()
        player.run(stop)


def test_errors_while_it_plays_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full ends the demo with a message."""

    def fail_as_full(self: Player, stop: threading.Event) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Player, "run", fail_as_full)
    monkeypatch.setattr(command.AtmApp, "run", lambda self: None)
    with Clients() as clients, pytest.raises(OSError, match="No space"):
        command._play(Player(tmp_path, clients))
