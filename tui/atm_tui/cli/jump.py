"""`atm-tui jump`: goes to the pane of a session, from any shell or a key of tmux."""

import argparse

from atm_tui.cli.follow_plan import follow_plan
from atm_tui.cli.session_argument import add_session_argument, find_session
from atm_tui.jump.plan import plan_jump
from atm_tui.jump.values import OwnTerminal
from atm_tui.monitor.live import LiveMonitor


def add_jump_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `jump`."""
    add_session_argument(parser)
    parser.add_argument("--print", action="store_true", help="print the commands that would be run, and run none")


def run_jump(args: argparse.Namespace, monitor: LiveMonitor, own: OwnTerminal | None = None) -> int:
    """Goes to the session; returns the exit code."""
    monitor.refresh()
    session = find_session(args.session, monitor)
    return follow_plan(plan_jump(session, own), session, monitor, only_print=args.print)
