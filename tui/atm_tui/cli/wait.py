"""`atm-tui wait`: waits until sessions need you, are idle or have ended."""

import argparse
from typing import TYPE_CHECKING

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.missing_sessions import warn_of_missing_sessions
from atm_tui.cli.output import write_lines
from atm_tui.cli.parser import add_choice_option, parse_seconds
from atm_tui.cli.session_argument import add_sessions_argument, find_each_session
from atm_tui.model.goal import Goal, Waiter
from atm_tui.monitor.live import LiveMonitor

if TYPE_CHECKING:  # only a command that waits reads journals
    from atm_tui.timeline.passing_goals import PassingGoals

_WORDS = {Goal.NEEDS_YOU: "needs you", Goal.IDLE: "is idle", Goal.ENDED: "has ended"}


def add_wait_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `wait`."""
    add_sessions_argument(parser, "all that run, also those that start meanwhile")
    add_choice_option(
        parser,
        "--for",
        Goal,
        "what to wait for; idle: it neither works nor needs you, or has ended",
        dest="goal",
        required=True,
    )
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--any", dest="all", action="store_false", default=False, help="until one of them is (default)")
    number.add_argument("--all", dest="all", action="store_true", help="until all of them are at the same time")
    parser.add_argument("--timeout", type=parse_seconds, metavar="S", help="give up after S seconds; 0: don't wait")


def run_wait(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Waits, then prints the ids of the sessions that were waited for; returns the exit code. Raises CommandError."""
    began = monitor.now()
    monitor.refresh()
    named = [each.session_id for each in find_each_session(args.sessions, monitor)]
    waiter = Waiter(args.goal, named, needs_all=args.all)
    code = _print_reached(waiter, monitor)
    if code is None:
        warn_of_missing_sessions(monitor)
    if code is None and args.timeout != 0:
        from atm_tui.cli.follow_fleet import follow_fleet
        from atm_tui.timeline.passing_goals import PassingGoals

        passing = PassingGoals(monitor.state_dir, args.goal, began)
        code = follow_fleet(monitor, lambda: _print_reached(waiter, monitor, passing), timeout=args.timeout)
    if code is None or code is ExitCode.TIMED_OUT:
        number = "not each of them" if args.all else "none of them"
        raise CommandError(f"the time is over: {number} {_WORDS[args.goal]}.", ExitCode.TIMED_OUT)
    return code


def _print_reached(waiter: Waiter, monitor: LiveMonitor, passing: "PassingGoals | None" = None) -> ExitCode | None:
    """Prints the ids and returns DONE if the wait is over. Raises CommandError if it can't succeed any more."""
    sessions = monitor.fleet.sessions.values()
    progress = waiter.update(sessions, passing.update(sessions) if passing else ())
    if progress.too_late:
        message = f"ended, so it can't need you any more: {', '.join(progress.too_late)}."
        raise CommandError(message, ExitCode.SESSION_ENDED)
    if not progress.is_done:
        return None
    write_lines(progress.reached)
    return ExitCode.DONE
