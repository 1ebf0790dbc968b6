"""What the screens say of requests and answers: what became of one, why one is gone, and whether it is on the screen."""

import re
from enum import Enum

from atm_tui.asked import whole_line
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Answered, Arming, Decision, Request
from atm_tui.model.session import Liveness


class Deed(Enum):
    """What can be asked for from a view of the sessions."""

    ALLOW = "allow"
    DENY = "deny"
    ALWAYS = "always"


IN_ITS_PANE = "answer in its pane (Enter goes there)"

_DONE = {
    "allow": "allowed here",
    "approve": "approved here",
    "always": "allowed here from now on",
    "answer": "answered here",
    "deny": "denied here",
}


def outcome_words(decision: Decision, outcome: Answered) -> str:
    """What became of an answer, with the next step where there is one."""
    match outcome:
        case Answered.GIVEN:
            return _DONE.get(decision.kind, "answered here")
        case Answered.ELSEWHERE:
            return "answered elsewhere"
        case Answered.GONE:
            return f"its hook waits no more: {IN_ITS_PANE}"
        case Answered.VOID:
            return f"not taken: {IN_ITS_PANE}"


def why_gone(fleet: Fleet, request: Request) -> str:
    """Why a request that was not answered here is no longer open."""
    session = fleet.sessions.get(request.session_id)
    if session is None or session.liveness is not Liveness.LIVE:
        return "the session is over"
    if not any(wait.key == request.key for wait in session.waits):
        return "answered elsewhere"
    if fleet.arming is not Arming.ON:
        return f"not armed any more: {IN_ITS_PANE}"
    return f"it waits here no longer: {IN_ITS_PANE}"


def stands(request: Request, lines: list[str]) -> bool:
    """Whether the whole input stands on the screen, in one piece: behind the tool's name, and a column ends behind it."""
    line = whole_line(request)
    if line is None:
        return False
    found = re.compile(rf"(?<!\S){re.escape(request.tool)} {{1,2}}{re.escape(line)}(?=  |\s*$|\s?[│┃|])")
    return any(found.search(each) for each in lines)
