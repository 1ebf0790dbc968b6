"""The argument ID of `atm-tui answer`: finds the request that it names."""

import argparse
from collections.abc import Collection, Iterable

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.missing_sessions import describe_missing_sessions
from atm_tui.cli.session_argument import HELP, choose_candidate, list_candidates
from atm_tui.jump.find import Candidate, find_sessions
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import clean
from atm_tui.view.answer_text import describe_nothing_waits, explain_closed, format_request

_NONCE = 4
"""Least characters of a request's own id that identify it."""


def add_request_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the argument ID, as `args.request`."""
    parser.add_argument(
        "request",
        metavar="ID",
        nargs="?",
        help=f"{HELP}; or the start of a request's own id; without it, the only request",
    )


def find_request(text: str | None, monitor: LiveMonitor, width: int) -> Request:
    """Returns the request. Raises CommandError, with a list in which lines have at most `width` cells."""
    fleet = monitor.fleet
    requests = list(fleet.requests.values())
    if text is not None:
        found = _list_requests(text, requests, monitor, width)
    elif requests:
        found = requests
    else:
        raise _explain_nothing(monitor)
    if len(found) > 1:
        head = f"{len(found)} requests match. Name one by its own id, at the start of its line:"
        raise CommandError(_list(head, found, fleet, width), ExitCode.SEVERAL)
    return found[0]


def _list_requests(text: str, requests: list[Request], monitor: LiveMonitor, width: int) -> list[Request]:
    """Returns the requests of the session, or the one whose own id starts with `text`; at least one."""
    fleet = monitor.fleet
    if found := [each for each in requests if _has_id(each, text)]:
        return found
    asking = {each.session_id for each in requests}
    candidates = list_candidates(text, (session for key, session in fleet.sessions.items() if key in asking))
    candidates += [Candidate(session_id=key) for key in asking if key not in fleet.sessions]
    if not find_sessions(text, candidates).candidates:
        candidates = list_candidates(text, fleet.sessions.values())
        named = find_sessions(text, candidates).candidates
        machines = {fleet.sessions[each.session_id].machine for each in named}
        if named and (not requests or not machines.isdisjoint(list_closed_machines(monitor))):
            raise _explain_nothing(monitor, machines)
        if named:
            head = f"“{clean(text)}” asks nothing now. These wait for an answer:"
            raise CommandError(_list(head, requests, fleet, width), ExitCode.NOT_FOUND)
    chosen = choose_candidate(text, candidates, describe_missing_sessions(monitor, text))
    return [each for each in requests if each.session_id == chosen.session_id]


def _has_id(request: Request, text: str) -> bool:
    """Whether `text` is the start of the request's own id, with or without its machine before it."""
    name, separator, start = text.casefold().rpartition(":")
    is_there = not separator or name == request.machine.casefold()
    return is_there and len(start) >= _NONCE and request.own_nonce.startswith(start)


def list_closed_machines(monitor: LiveMonitor) -> dict[str, str]:
    """Returns the machines whose requests can't be answered, or are not known, each with the reason."""
    now = monitor.now()
    reasons = {each.name: explain_closed(each, now) for each in monitor.fleet.machines}
    return {name: why for name, why in reasons.items() if why}


def _explain_nothing(monitor: LiveMonitor, machines: Collection[str] = ()) -> CommandError:
    """Makes the error that nothing waits, on these machines ("": this one), or on none of all."""
    closed = list_closed_machines(monitor)
    is_closed = any(name in closed for name in machines or closed)
    text = describe_nothing_waits(monitor.fleet, monitor.now(), machines)
    return CommandError(text, ExitCode.NOT_POSSIBLE if is_closed else ExitCode.NOT_FOUND)


def _list(head: str, requests: Iterable[Request], fleet: Fleet, width: int) -> str:
    return "\n".join([head, *(f"  {format_request(each, fleet, width - 2)}" for each in requests)])
