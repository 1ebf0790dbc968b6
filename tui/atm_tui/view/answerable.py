"""Which requests can be answered here. Pure."""

from collections.abc import Iterable

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Arming, Request


def list_answerable_requests(fleet: Fleet, session_id: str, agent_id: str | None = None) -> tuple[Request, ...]:
    """What can be answered here of a session, or of one of its agents; oldest first. None while the app is not armed."""
    if fleet.arming is not Arming.ON:
        return ()
    requests = fleet.list_requests(session_id)
    return tuple(each for each in requests if agent_id is None or each.agent_id == agent_id)


def list_answerable_sessions(fleet: Fleet, session_ids: Iterable[str]) -> frozenset[str]:
    """Those of these sessions that ask what can be answered here."""
    return frozenset(each for each in session_ids if list_answerable_requests(fleet, each))
