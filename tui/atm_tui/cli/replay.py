"""`atm-tui replay`: opens the app on the journal of a session, or on a recording in a file."""

import argparse
import math
from pathlib import Path

from atm_hooks import journal
from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.messages import describe_missing_terminal
from atm_tui.cli.session_argument import HELP, find_session
from atm_tui.cli.terminal import can_show_screen
from atm_tui.cli.user_config import follow_user_config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.recording import Entry, RecordingError, read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.sources.exists import is_file

FASTEST = 1000.0
"""Largest speed, as a multiple of real time."""


def _parse_speed(given: str) -> float:
    try:
        speed = float(given)
    except ValueError:
        speed = 0.0
    if not (0 < speed <= FASTEST and math.isfinite(speed)):
        raise argparse.ArgumentTypeError(f"{given}: not a number above 0 and at most {FASTEST:.0f}")
    return speed


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `replay`."""
    parser.add_argument("source", metavar="FILE|ID", help=f"a journal or recording, or {HELP}")
    parser.add_argument(
        "--speed",
        type=_parse_speed,
        default=1.0,
        metavar="X",
        help="playback speed: 2 is twice as fast as recorded (default: 1)",
    )
    parser.add_argument("--paused", action="store_true", help="start with the clock stopped")


def run_replay(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Opens the app on a recording; returns its exit code. Raises CommandError without a recording or a terminal."""
    try:
        entries = read_source(args.source, monitor)
    except RecordingError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error
    if not can_show_screen():
        raise CommandError(describe_missing_terminal("the replay"), ExitCode.USAGE)
    replay = Replay(entries)
    replay.speed, replay.paused = args.speed, args.paused
    if paths.is_dumb_terminal():
        from atm_tui.cli.plain import run_plain

        return run_plain(replay)
    from atm_tui.cli.open_app import open_app

    return open_app(replay, follow_user_config(args))


def read_source(source: str, monitor: LiveMonitor) -> list[Entry]:
    """Reads a file or the journal of a session. Raises RecordingError, or CommandError if not exactly one session matches."""
    if is_file(source) or source.startswith(("/", ".", "~")) or source.endswith((".jsonl", ".json")):
        return read_entries(Path(source))
    monitor.refresh()
    session = find_session(source, monitor)
    path = Path(journal.locate_journal(str(monitor.state_dir), session.session_id))
    before = path.with_name(f"{path.name}.1")
    if _is_missing(path) and _is_missing(before):
        raise RecordingError(f"{session.name}: no hook has recorded this session, so there is no journal to replay.")
    found: list[Entry] = []
    problem: RecordingError | None = None
    for each in (before, path):
        try:
            found += read_entries(each)
        except RecordingError as error:  # show what exists: a journal that has just begun is empty
            problem = error
    if not found and problem is not None:
        raise problem
    return sorted(found, key=lambda entry: entry[0])


def _is_missing(path: Path) -> bool:
    """Returns whether there is no such file; False if that is unknown, since reading it then says why."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
