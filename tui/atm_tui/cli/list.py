"""`atm-tui list`: prints a line for each session with its id first, for programs that let a person pick one."""

import argparse

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.missing_sessions import warn_of_missing_sessions
from atm_tui.cli.output import write_fields
from atm_tui.cli.session_filter import add_filter_arguments, select_sessions
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.pick_list import list_fields


def add_list_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `list`."""
    add_filter_arguments(parser)


def run_list(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints the sessions; returns the exit code."""
    monitor.refresh()
    warn_of_missing_sessions(monitor)
    for fields in list_fields(select_sessions(args, monitor), monitor.now()):
        write_fields(fields)
    return ExitCode.DONE
