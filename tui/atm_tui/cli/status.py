"""`atm-tui status`: prints the fleet as lines, as JSON for scripts, or as one short line for tmux."""

from typing import TYPE_CHECKING

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import can_show, format_json, write_json, write_line, write_lines
from atm_tui.monitor.live import LiveMonitor

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_status_arguments(parser: "ArgumentParser") -> None:
    """Adds the options of `status`."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object (docs/status.md describes it)")
    form.add_argument("--tmux", action="store_true", help="print one short line for the status line of tmux")


def run_status(args: "Namespace", monitor: LiveMonitor) -> int:
    """Prints the current fleet; returns the exit code."""
    monitor.refresh()
    fleet, now = monitor.fleet, monitor.now()
    if args.tmux:
        from atm_tui.view.status_tmux import NEEDS, WORKING, format_tmux

        ascii_only = monitor.config.ascii or not can_show(NEEDS[0] + WORKING[0])
        write_line(format_tmux(fleet, now, ascii_only=ascii_only))
    elif args.json:
        from atm_tui.view.status_json import build_status_json

        write_json(format_json(build_status_json(fleet, now), indent=2))
    else:
        from atm_tui.text import clean
        from atm_tui.view.status_table import EMPTY, format_status

        notices = (f"! {clean(notice)}" for notice in fleet.health.notices)
        write_lines([*(format_status(fleet, now) or [EMPTY]), *notices])
    return ExitCode.DONE
