"""The options that choose some sessions of the fleet: ID, --state and --project."""

import argparse

from atm_tui.cli.parser import add_list_option
from atm_tui.cli.session_argument import add_sessions_argument, find_each_session
from atm_tui.model.session import Liveness, Session, State
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.status_text import get_state

STATES = (*State, Liveness.LOST, Liveness.ENDED)
"""The values of --state: the state of a live session, or how another one ended."""


def add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    add_sessions_argument(parser, "all")
    parser.add_argument(
        "--state",
        action="append",
        choices=[each.value for each in STATES],
        default=[],
        help="only sessions in this state; may be given again",
    )
    add_list_option(
        parser, "--project", "NAME", "only sessions of the project with this name or folder; may be given again"
    )


def select_sessions(args: argparse.Namespace, monitor: LiveMonitor) -> list[Session]:
    """Returns the chosen sessions of the fleet, as last refreshed, oldest start first. Raises CommandError on an unknown ID."""
    sessions = find_each_session(args.sessions, monitor) or monitor.fleet.sessions.values()
    return [
        each
        for each in sessions
        if (not args.state or get_state(each) in args.state)
        and (not args.project or any(is_of_project(each, name) for name in args.project))
    ]


def is_of_project(session: Session, name: str) -> bool:
    """Whether a session belongs to a project, given by its name, the last part of it, or its folder."""
    called = session.project.name.removeprefix(f"{session.machine}:").casefold()
    return name.casefold() in (called, called.rpartition("/")[2]) or (
        session.project.root != "" and name.rstrip("/") == session.project.root
    )
