"""The argument ID of commands: finds the session that it names."""

import argparse
from collections.abc import Iterable, Sequence

from atm_tui.cli import messages
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.missing_sessions import describe_missing_sessions
from atm_tui.jump.find import Candidate, find_nearest, find_sessions, is_certain, list_named_ids, make_candidate
from atm_tui.jump.tmux_panes import may_be_pane, read_pane_names
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor

HELP = "a session: the start of its id, its tmux pane (%%5 or session:window.pane), its name, project/name, or part of a name"
"""With %% for argparse, which reads it as %."""


def add_session_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the argument ID, as `args.session`."""
    parser.add_argument("session", metavar="ID", help=HELP)


def add_sessions_argument(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds the argument ID that may be given several times, as `args.sessions`. `default`: the sessions without it, in words."""
    parser.add_argument("sessions", metavar="ID", nargs="*", help=f"{HELP}; may be given again (default: {default})")


def find_session(text: str, monitor: LiveMonitor) -> Session:
    """Returns the session of the fleet, as last refreshed. Raises CommandError."""
    read_named(text, monitor)
    sessions = monitor.fleet.sessions
    candidates = list_candidates(text, sessions.values())
    return sessions[choose_candidate(text, candidates, describe_missing_sessions(monitor, text)).session_id]


def read_named(text: str, monitor: LiveMonitor) -> None:
    """Reads of the sessions that were left out so far those that `text` may name."""
    closed = monitor.reader.states.closed
    if not monitor.reader.states.is_partial:
        return
    named = list_named_ids(text, closed.keys())
    known = list_candidates(text, monitor.fleet.sessions.values())
    found = find_sessions(text, [*known, *(Candidate(session_id=each) for each in named)])
    if not is_certain(text, found):
        monitor.read_older()
    elif older := {each.session_id for each in found.candidates} & closed.keys():
        monitor.read_older(older)


def find_each_session(texts: Iterable[str], monitor: LiveMonitor) -> list[Session]:
    """Returns the session that each text names, without repetitions. Raises CommandError."""
    return list({found.session_id: found for found in (find_session(each, monitor) for each in texts)}.values())


def list_candidates(text: str, sessions: Iterable[Session]) -> list[Candidate]:
    """Returns the sessions as candidates, with tmux's names of their panes if `text` may be one."""
    everyone = list(sessions)
    panes = read_pane_names(everyone) if may_be_pane(text) else {}
    return [make_candidate(each, panes.get(each.session_id, ())) for each in everyone]


def choose_candidate(text: str, candidates: Sequence[Candidate], missing: str = "") -> Candidate:
    """Returns the candidate that `text` names. Raises CommandError: NOT_FOUND with the nearest names, or SEVERAL with all ids.

    `missing`: says which sessions are not among the candidates, though they should be.
    """
    found = find_sessions(text, candidates).candidates
    if not found:
        message = messages.describe_no_session(text, find_nearest(text, candidates))
        raise CommandError(f"{message}\n{missing}".rstrip("\n"), ExitCode.NOT_FOUND)
    if len(found) > 1:
        raise CommandError(messages.describe_several_sessions(text, found), ExitCode.SEVERAL)
    return found[0]
