"""`atm-tui explain`: why a session is shown as it is."""

import argparse
import sys

from atm_tui.cli.session_argument import add_session_argument, find_session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.timeline.journals import read_history
from atm_tui.view.explain import explain


def add_explain_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `explain`."""
    add_session_argument(parser)


def run_explain(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints every fact behind the status of one session; the exit code."""
    monitor.refresh()
    session = find_session(args.session, monitor)
    facts = monitor.reader.facts[session.session_id]
    events = read_history(monitor.state_dir, session.session_id)
    sys.stdout.write("\n".join(explain(facts, session, events, monitor.now())) + "\n")
    return 0
