"""`atm-tui demo`: opens the real app on replayed sessions; touches nothing of the user's."""

import argparse
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import msgspec

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.demo.clients import Clients
from atm_tui.demo.player import Player
from atm_tui.demo.scenario import ScenarioError
from atm_tui.model.fleet import Health
from atm_tui.model.request import Arming
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.protocol import Capabilities

FASTEST = 100.0


class DemoMonitor(LiveMonitor):
    """The live monitor as it is, but that nothing of it can be answered, and that nothing says it has no hooks: it needs none."""

    @property
    def capabilities(self) -> Capabilities:
        """As those of live sessions, but that no session waits for an answer."""
        return msgspec.structs.replace(super().capabilities, answers=False)

    @property
    def arming(self) -> Arming:
        """Always that of a recording."""
        return Arming.RECORDING

    def arm(self, on: bool) -> str | None:
        """As in Replay."""
        return "This is a demo: nobody waits for an answer." if on else None

    def _health(self, sessions: list[Session]) -> Health:
        health = super()._health(sessions)
        told = tuple(notice for notice in health.notices if not notice.startswith(tuple(self.registries)))
        return msgspec.structs.replace(health, hooks="installed", notices=told)


def _speed(given: str) -> float:
    try:
        speed = float(given)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        raise argparse.ArgumentTypeError(f"{given}: not a number over 0, at most {FASTEST:.0f}")
    return speed


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `atm-tui demo`."""
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="X",
        help=f"times as fast as it was made for; over 0, at most {FASTEST:.0f} (default: 1)",
    )


def run_demo(args: argparse.Namespace) -> int:
    """Runs the demo; its exit code. 2 without a terminal, 1 when it can't go on."""
    # the screen goes out by stderr, the keys come in by stdin
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        sys.stderr.write("atm-tui: the demo needs a terminal; start it in one, without a pipe or a redirection.\n")
        return 2
    try:
        with _leaving_on_signals(), tempfile.TemporaryDirectory(prefix="atm-demo-") as home, Clients() as clients:
            return _show(Player(Path(home).resolve(), clients, speed=args.speed))
    except (OSError, ScenarioError) as error:
        sys.stderr.write(f"atm-tui: the demo can't be played: {error}\n")
        return 1


def app_on(player: Player) -> AtmApp:
    """The app on what a player has opened: it says that it is a demo, and the demo's folder is its home."""
    config = Config()
    monitor = DemoMonitor(player.place.state_dir, [player.place.config_dir], config)
    monitor.home = str(player.place.home)
    app = AtmApp(monitor, config)
    app.title = f"{app.title} demo"
    return app


def _show(player: Player) -> int:
    player.open()
    app = app_on(player)
    stop = threading.Event()
    with ThreadPoolExecutor(1, "demo") as pool:
        playing = pool.submit(player.run, stop)

        def leave(done: Future[None]) -> None:
            if done.exception() is not None and app.is_running:
                app.call_from_thread(app.exit, return_code=1)

        playing.add_done_callback(leave)
        try:
            app.run()
        finally:
            stop.set()
    playing.result()
    return app.return_code or 0


@contextmanager
def _leaving_on_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP leave through all doors, so that the folder and the processes go. The app sets its own while it runs."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
