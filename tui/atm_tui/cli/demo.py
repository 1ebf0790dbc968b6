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

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.demo.clients import Clients
from atm_tui.demo.player import Player
from atm_tui.demo.scenario import ScenarioError
from atm_tui.monitor.live import LiveMonitor

FASTEST = 100.0


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
    monitor = LiveMonitor(player.place.state_dir, [player.place.config_dir], config, is_demo=True)
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
