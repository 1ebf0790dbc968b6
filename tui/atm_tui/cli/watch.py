"""`atm-tui watch`: prints a line for each change of a session from now on."""

import argparse

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.missing_sessions import warn_of_missing_sessions
from atm_tui.cli.output import flush, format_json, write_json, write_line
from atm_tui.cli.parser import parse_seconds
from atm_tui.cli.session_argument import add_sessions_argument, find_each_session
from atm_tui.model.changes import Change, list_changes
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.change_lines import build_change_json, build_heartbeat_json, format_change, format_heartbeat


def add_watch_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `watch`."""
    add_sessions_argument(parser, "all, also those that start later")
    parser.add_argument("--json", action="store_true", help="print each line as a JSON object")
    parser.add_argument("--details", action="store_true", help="also a line for each tool and each step of a turn")
    parser.add_argument(
        "--heartbeat",
        type=parse_seconds,
        metavar="S",
        help="also print a line every S seconds, the first at once: from then on, no change is missed",
    )
    parser.add_argument("--timeout", type=parse_seconds, metavar="S", help="end after S seconds")


def run_watch(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints changes until the time limit, or until the output is closed; returns the exit code."""
    monitor.refresh()
    wanted = {each.session_id for each in find_each_session(args.sessions, monitor)}
    warn_of_missing_sessions(monitor)
    printer = _Printer(monitor, wanted, as_json=args.json, details=args.details)
    if args.heartbeat is not None:
        printer.print_heartbeat()
    from atm_tui.cli.follow_fleet import follow_fleet

    code = follow_fleet(
        monitor,
        printer.print_changes,
        timeout=args.timeout,
        beat=printer.print_heartbeat,
        interval=args.heartbeat or None,
    )
    return ExitCode.DONE if code is ExitCode.TIMED_OUT else code


class _Printer:
    """Prints what changed since it was last called."""

    def __init__(self, monitor: LiveMonitor, wanted: set[str], *, as_json: bool, details: bool) -> None:
        """`wanted`: ids of the sessions whose changes are printed; empty: all."""
        self._monitor = monitor
        self._wanted = wanted
        self._as_json = as_json
        self._details = details
        self._before: dict[str, Session] = dict(monitor.fleet.sessions)

    def print_changes(self) -> None:
        """Prints a line for each change."""
        before, self._before = self._before, dict(self._monitor.fleet.sessions)
        changes = [
            each
            for each in list_changes(before, self._before, details=self._details)
            if not self._wanted or each.session.session_id in self._wanted
        ]
        for each in changes:
            self._print_change(each)
        if changes:
            flush()

    def print_heartbeat(self) -> None:
        """Prints a line which shows that the command is still running."""
        totals, now = self._monitor.fleet.compute_totals(), self._monitor.now()
        if self._as_json:
            write_json(format_json(build_heartbeat_json(totals, now)))
        else:
            write_line(format_heartbeat(totals, now))
        flush()

    def _print_change(self, change: Change) -> None:
        now = self._monitor.now()
        if self._as_json:
            write_json(format_json(build_change_json(change, now)))
        else:
            write_line(format_change(change, now))
