"""`atm-tui status`: the fleet as lines, or as JSON for scripts."""

import argparse

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import format_json, write_json, write_lines
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean
from atm_tui.view.status_json import build_status_json
from atm_tui.view.status_table import EMPTY, format_status


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `status`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object (docs/status.md describes it)")


def run_status(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints the fleet as it is now; the exit code."""
    monitor.refresh()
    fleet, now = monitor.fleet, monitor.now()
    if args.json:
        write_json(format_json(build_status_json(fleet, now), indent=2))
    else:
        notices = (f"! {clean(notice)}" for notice in fleet.health.notices)
        write_lines([*(format_status(fleet, now) or [EMPTY]), *notices])
    return ExitCode.DONE
