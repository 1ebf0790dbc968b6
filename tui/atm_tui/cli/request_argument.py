"""The argument ID of `atm-tui answer`: finds the request that it names."""

import argparse
from collections.abc import Iterable

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.session_argument import HELP, choose_candidate, list_candidates
from atm_tui.jump.find import Candidate, find_sessions
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Request
from atm_tui.text import clean
from atm_tui.view.answer_text import describe_nothing_waits, format_request

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


def find_request(text: str | None, fleet: Fleet, width: int) -> Request:
    """Returns the request. Raises CommandError, with a list in which lines have at most `width` cells."""
    requests = list(fleet.requests.values())
    if not requests and (text is None or _is_known(text, fleet)):
        raise CommandError(describe_nothing_waits(fleet.arming), ExitCode.NOT_FOUND)
    found = requests if text is None else _list_requests(text, requests, fleet, width)
    if len(found) > 1:
        head = f"{len(found)} requests match. Name one by its own id, at the start of its line:"
        raise CommandError(_list(head, found, fleet, width), ExitCode.SEVERAL)
    return found[0]


def _list_requests(text: str, requests: list[Request], fleet: Fleet, width: int) -> list[Request]:
    """Returns the requests of the session, or the one whose own id starts with `text`; at least one."""
    if len(text) >= _NONCE and (found := [each for each in requests if each.nonce.startswith(text.casefold())]):
        return found
    asking = {each.session_id for each in requests}
    candidates = list_candidates(text, (session for key, session in fleet.sessions.items() if key in asking))
    candidates += [Candidate(session_id=key) for key in asking if key not in fleet.sessions]
    if not find_sessions(text, candidates).candidates:
        if requests and _is_known(text, fleet):
            head = f"“{clean(text)}” asks nothing now. These wait for an answer:"
            raise CommandError(_list(head, requests, fleet, width), ExitCode.NOT_FOUND)
        candidates = list_candidates(text, fleet.sessions.values())
    chosen = choose_candidate(text, candidates)
    return [each for each in requests if each.session_id == chosen.session_id]


def _is_known(text: str, fleet: Fleet) -> bool:
    return bool(find_sessions(text, list_candidates(text, fleet.sessions.values())).candidates)


def _list(head: str, requests: Iterable[Request], fleet: Fleet, width: int) -> str:
    return "\n".join([head, *(f"  {format_request(each, fleet, width - 2)}" for each in requests)])
