"""`atm-tui explain`: explains the status of a session."""

import argparse

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.messages import describe_read_error
from atm_tui.cli.output import write_lines
from atm_tui.cli.session_argument import add_session_argument, find_session
from atm_tui.monitor.asking import AskError
from atm_tui.monitor.live import LiveMonitor
from atm_tui.timeline.journals import read_history
from atm_tui.view.explain import explain


def add_explain_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `explain`."""
    add_session_argument(parser)


def run_explain(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints all facts behind the status of a session; returns the exit code. Raises CommandError if its journal is unreadable."""
    monitor.refresh()
    session = find_session(args.session, monitor)
    if session.elsewhere is not None and monitor.elsewhere is not None:
        try:
            write_lines(monitor.elsewhere.explain(session))
        except AskError as error:
            raise CommandError(f"{error}.", ExitCode.FAILED) from error
        return ExitCode.DONE
    facts = monitor.reader.facts[session.session_id]
    try:
        events = read_history(monitor.state_dir, session.session_id)
    except OSError as error:
        raise CommandError(describe_read_error(f"the journal {error.filename}", error), ExitCode.FAILED) from error
    write_lines(explain(facts, session, events, monitor.now()))
    return ExitCode.DONE
