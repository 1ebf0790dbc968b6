"""`atm-tui next`: goes to the session that has waited longest."""

from typing import TYPE_CHECKING

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.follow_plan import can_offer_copy, follow_plan
from atm_tui.cli.missing_sessions import describe_missing_sessions
from atm_tui.jump.plan import plan_next_jump
from atm_tui.jump.values import OwnTerminal
from atm_tui.monitor.live import LiveMonitor

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_next_arguments(parser: "ArgumentParser") -> None:
    """Adds the options of `next`."""
    parser.add_argument("--print", action="store_true", help="print the commands that would be run, and run none")


def run_next(args: "Namespace", monitor: LiveMonitor, own: OwnTerminal | None = None) -> int:
    """Goes to the session that has waited longest or, from a waiting session, to the next one; returns the exit code.

    Prints nothing on success, since `run-shell` of tmux shows all output in the pane.
    """
    monitor.refresh()
    waiting = monitor.fleet.list_attention()
    if not waiting:
        missing = describe_missing_sessions(monitor)
        raise CommandError(f"no session needs you. {missing}".rstrip(), ExitCode.NOT_FOUND)
    session, plan = plan_next_jump(waiting, own, offers_resume=can_offer_copy(only_print=args.print))
    return follow_plan(plan, session, monitor, only_print=args.print, quiet=True)
