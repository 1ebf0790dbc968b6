"""Lists the requests that can be answered here."""

from collections.abc import Iterable

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Arming, Request


def list_answerable_requests(fleet: Fleet, session_id: str, agent_id: str | None = None) -> tuple[Request, ...]:
    """Returns the requests of a session, or of one of its agents, that can be answered here, oldest first.

    Empty while the app is not armed for its machine.
    """
    session = fleet.sessions.get(session_id)
    if (fleet.find_arming(session) if session else fleet.arming) is not Arming.ON:
        return ()
    requests = fleet.list_requests(session_id)
    return tuple(each for each in requests if agent_id is None or each.agent_id == agent_id)


def list_answerable_sessions(fleet: Fleet, session_ids: Iterable[str]) -> frozenset[str]:
    """Returns those of these sessions that have a request which can be answered here."""
    return frozenset(each for each in session_ids if list_answerable_requests(fleet, each))
