"""`atm-tui status`: prints the fleet as a table, as JSON for scripts, or in a custom format.

`--tmux` is in status_tmux.py.
"""

from typing import TYPE_CHECKING

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import format_json, write_json
from atm_tui.monitor.live import LiveMonitor

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_status_arguments(parser: "ArgumentParser") -> None:
    """Adds the options of `status`."""
    from atm_tui.cli.status_lines import add_table_arguments

    parser.add_argument(
        "--all", action="store_true", help="all that are over as well, where there are more than 2,000 sessions"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object (docs/status.md describes it)")
    form.add_argument("--tmux", action="store_true", help="print one short line for the status line of tmux")
    add_table_arguments(parser, form)


def run_status(args: "Namespace", monitor: LiveMonitor) -> int:
    """Prints the current fleet; returns the exit code. Raises CommandError on an unknown ID, column or field."""
    monitor.refresh()
    fleet, now = monitor.fleet, monitor.now()
    from atm_tui.cli.status_lines import list_chosen, print_lines

    sessions = list_chosen(args, monitor)
    if args.json:
        from atm_tui.view.status_json import build_status_json

        write_json(format_json(build_status_json(fleet, now, sessions), indent=2))
    else:
        print_lines(args, monitor, sessions)
    return ExitCode.DONE
