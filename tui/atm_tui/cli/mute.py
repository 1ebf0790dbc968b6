"""`atm-tui mute`: mutes the notifications of all apps for some time."""

import argparse
import time
from datetime import datetime

from atm_tui import paths
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line
from atm_tui.cli.parser import parse_duration
from atm_tui.sources.mute import read_mute, write_mute
from atm_tui.sources.state_schema import describe_newer, is_newer

_UNITS = {"": 60, "s": 1, "m": 60, "h": 3600}
_UNWRITABLE = "{}: the time can't be stored. Check the folder's permissions."
_LONGEST = 7 * 86400
"""Seconds for which it can be muted."""


def add_mute_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `mute`."""
    parser.add_argument(
        "time",
        nargs="?",
        type=parse_mute_time,
        metavar="TIME",
        help="for how long: 30m, 2h, or off (default: print it)",
    )


def parse_mute_time(given: str) -> float:
    """Parses "30m", "2h", "90s", "30" (minutes) or "off" to seconds. Raises ArgumentTypeError."""
    if given == "off":
        return 0.0
    seconds = parse_duration(given, _UNITS)
    if seconds is None or not 0 < seconds <= _LONGEST:
        raise argparse.ArgumentTypeError(f'"{given}" is no time, such as 30m or 2h (at most 7 days), nor off')
    return seconds


def run_mute(args: argparse.Namespace) -> int:
    """Mutes notifications, or ends that; prints what holds then; returns the exit code."""
    now, folder = time.time(), paths.find_state_dir()
    wanted = None if args.time is None else now + args.time if args.time else 0.0
    if wanted is not None:
        write_mute(folder, wanted)
    until = read_mute(folder)
    if wanted is not None and until != wanted:
        from atm_tui.cli.command_error import CommandError

        reason = f"{describe_newer(folder)}. Update atm-tui." if is_newer(folder) else _UNWRITABLE.format(folder)
        raise CommandError(reason, ExitCode.FAILED)
    muted = f"muted until {datetime.fromtimestamp(until).astimezone():%Y-%m-%d %H:%M}"
    write_line(f"notifications are {muted if now < until else 'on'}")
    return ExitCode.DONE
