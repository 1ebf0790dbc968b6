"""`atm-tui usage`: prints what was spent, by model, project and day, as a table or as JSON."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.host_argument import make_machines
from atm_tui.cli.messages import describe_missing_folder
from atm_tui.cli.output import can_show_progress, clear_progress, format_json, show_progress, write_json, write_lines
from atm_tui.cli.user_config import read_user_config
from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import UsageHistory, UsageSource, make_report
from atm_tui.model.spans import find_midnight
from atm_tui.monitor.figures import Counted
from atm_tui.monitor.live import LiveMonitor
from atm_tui.monitor.reading import MOST_WHOLE
from atm_tui.sources.exists import is_folder
from atm_tui.sources.read_ahead import count_processors
from atm_tui.sources.usage import UsageReader
from atm_tui.view.limits_json import build_limits_json
from atm_tui.view.limits_table import list_limits
from atm_tui.view.usage_json import build_usage_json, build_waited_json
from atm_tui.view.usage_table import format_usage

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

DAYS = 30
"""The days that are shown unless others are asked for."""
_MB = 1_000_000


def add_usage_arguments(parser: "ArgumentParser") -> None:
    """Adds the options of `usage`."""
    span = parser.add_mutually_exclusive_group()
    span.add_argument(
        "--days",
        type=_parse_days,
        default=DAYS,
        metavar="N",
        help=f"today and the N-1 days before it (default: {DAYS})",
    )
    span.add_argument("--all", action="store_true", help="everything that the transcripts still hold")
    parser.add_argument(
        "--config-dir",
        type=Path,
        action="append",
        metavar="DIR",
        help="config folder of Claude Code (default: $CLAUDE_CONFIG_DIR or ~/.claude); may be given again",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _parse_days(text: str) -> int:
    try:
        days = int(text)
    except ValueError:
        days = 0
    if not 0 < days < 100_000:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"{text!r} is not a number of days; 1 is today alone")
    return days


def run_usage(args: "Namespace", table: PriceTable | None = None) -> int:
    """Prints the usage for `args`; returns the exit code. Raises CommandError if a config folder is missing."""
    config, prices = read_user_config()
    table = table or prices
    given: list[Path] = config.list_config_dirs(args.config_dir or getattr(args, "watch", None) or ())
    folders = [paths.make_absolute(folder) for folder in given]
    for folder in folders:
        if not is_folder(folder):
            text = describe_missing_folder(folder, "Name the config folder of Claude Code with --config-dir.")
            raise CommandError(text, ExitCode.USAGE)
    now = time.time()
    since = None if args.all else find_midnight(now, args.days - 1)
    machines = make_machines(args, config) if getattr(args, "host", ()) else None
    monitor = LiveMonitor(
        paths.find_state_dir(),
        folders,
        config,
        table=table,
        cache_dir=paths.find_cache_dir(),
        counted=Counted.AGENTS,  # for the time waited
        most_whole=MOST_WHOLE,
        machines=machines,
    )
    if machines is not None:
        monitor.refresh()  # waits for them
    processes = count_processors() if machines is None else 1  # their links are threads, and threads can't be forked
    own = UsageReader(folders, paths.find_cache_dir(), table, processes=processes, keeps_sums=True)
    history = _read(own if machines is None else machines.join_usage(own), since)
    shown = build_usage_json(make_report(history, table, since, now), history)
    monitor.refresh()
    shown["waited_today"] = build_waited_json(monitor.fleet, monitor.now())
    shown["limits"] = build_limits_json(monitor.fleet, monitor.now())
    if args.json:
        write_json(format_json(shown, indent=2))
    else:
        write_lines([*format_usage(shown).splitlines(), *list_limits(monitor.fleet, monitor.now())])
    return ExitCode.DONE


def _read(reader: UsageSource, since: float | None) -> UsageHistory:
    shown = 0.0
    shows_progress = can_show_progress()
    for progress in reader.read(since):
        if shows_progress and time.monotonic() - shown > 0.2:
            shown = time.monotonic()
            show_progress(f"reading {progress.done_bytes // _MB} of {progress.total_bytes // _MB} MB")
    if shows_progress and shown:
        clear_progress()
    return reader.result
