"""`atm-tui demo`: opens the app on replayed sessions, without touching the user's files."""

import argparse
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from atm_tui import paths
from atm_tui.app import AtmApp
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.messages import describe_missing_terminal
from atm_tui.cli.terminal import can_show_screen
from atm_tui.config import Config
from atm_tui.demo.clients import Clients
from atm_tui.demo.own_config import CopiedConfig
from atm_tui.demo.player import Player
from atm_tui.demo.scenario import ScenarioError
from atm_tui.model.fleet_server import FleetServer
from atm_tui.model.notification import NotifyWay
from atm_tui.monitor.live import LiveMonitor
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.scratch import find_scratch_folder

FASTEST = 100.0
"""Largest speed, as a multiple of real time."""


def _parse_speed(given: str) -> float:
    try:
        speed = float(given)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        raise argparse.ArgumentTypeError(f"{given}: not a number above 0 and at most {FASTEST:.0f}")
    return speed


def add_demo_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `demo`."""
    parser.add_argument(
        "--speed",
        type=_parse_speed,
        default=1.0,
        metavar="X",
        help=f"playback speed, above 0 and at most {FASTEST:.0f} (default: 1)",
    )


def run_demo(args: argparse.Namespace) -> int:
    """Runs the demo; returns the exit code. Raises CommandError without a terminal, or when the demo fails."""
    if not can_show_screen():
        raise CommandError(describe_missing_terminal("the demo"), ExitCode.USAGE)
    try:
        with _exit_on_signals(), find_scratch_folder("atm-demo-") as home, Clients() as clients:
            play = _play_as_lines if paths.is_dumb_terminal() else _play
            return play(Player(Path(os.path.realpath(home)), clients, speed=args.speed))
    except (OSError, ScenarioError) as error:
        raise CommandError(f"the demo can't be played: {error}", ExitCode.FAILED) from error


def follow_demo_config(player: Player) -> FollowedConfig:
    """Returns a copy of the user's configuration, without what would do something outside the demo."""
    origin = "the demo"
    followed = CopiedConfig(
        paths.find_config_file(),
        player.place.home / "config.toml",
        {
            "watch": ((str(player.place.config_dir),), origin),
            "notify_by": ((NotifyWay.BELL,), origin),
            "commands": ((), origin),
            "hosts": ({}, origin),
            "fleet": (FleetServer(), origin),
        },
    )
    followed.read()
    return followed


def make_monitor(player: Player, config: Config | None = None) -> LiveMonitor:
    """Makes the monitor of what a player has opened; the demo's folder is its home."""
    monitor = LiveMonitor(player.place.state_dir, [player.place.config_dir], config or Config(), is_demo=True)
    monitor.home = str(player.place.home)
    return monitor


def make_app(player: Player, followed: FollowedConfig | None = None) -> AtmApp:
    """Returns the app for an opened player, with the demo's folder as home; its header says that it is a demo."""
    monitor = make_monitor(player, followed.config if followed else None)
    app = AtmApp(monitor, monitor.config, followed=followed)
    app.title = f"{app.title} demo"
    return app


def _play_as_lines(player: Player) -> int:
    """Prints the demo as lines, for a terminal that can't show a screen."""
    from atm_tui.cli.plain import run_plain

    player.open()
    stop = threading.Event()
    with ThreadPoolExecutor(1, "demo") as pool:
        playing = pool.submit(player.run, stop)
        try:
            code = run_plain(make_monitor(player))
        finally:
            stop.set()
    playing.result()
    return code


def _play(player: Player) -> int:
    player.open()
    app = make_app(player, follow_demo_config(player))
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
    return app.return_code or ExitCode.DONE


@contextmanager
def _exit_on_signals() -> Iterator[None]:
    """Turns SIGTERM and SIGHUP into SystemExit, so that folder and processes are removed. The app sets its own handlers."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
