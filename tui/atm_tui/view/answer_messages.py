"""Messages of the screens about requests and answers: the outcome of an answer, and why a request is gone."""

from enum import Enum

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.session import Liveness


class Action(Enum):
    """The ways to answer a request from a view of the sessions."""

    ALLOW = "allow"
    DENY = "deny"
    ALWAYS = "always"


ANSWER_THERE = "answer in its pane (Enter goes there)"

_DONE = {
    "allow": "allowed here",
    "approve": "approved here",
    "always": "allowed here from now on",
    "answer": "answered here",
    "deny": "denied here",
}


def describe_outcome(decision: Decision, outcome: AnswerOutcome) -> str:
    """Returns the outcome of an answer, with the next step where there is one."""
    match outcome:
        case AnswerOutcome.GIVEN:
            return _DONE.get(decision.kind, "answered here")
        case AnswerOutcome.ELSEWHERE:
            return "answered elsewhere"
        case AnswerOutcome.GONE:
            return f"its hook waits no more: {ANSWER_THERE}"
        case AnswerOutcome.VOID:
            return f"not accepted: {ANSWER_THERE}"
        case AnswerOutcome.REFUSED:
            return "refused: only a person answers, and an agent started this atm-tui"
        case AnswerOutcome.REFUSED_THERE:
            return f"refused there, neither ssh nor a container leads to its atm-tui: {ANSWER_THERE}"
        case AnswerOutcome.NOT_SENT:
            return f"not sent, there is no link to its machine: {ANSWER_THERE}"
        case AnswerOutcome.UNKNOWN:
            return (
                "the link broke meanwhile, and the answer may have counted or not: look in its pane (Enter goes there)"
            )


def explain_gone(fleet: Fleet, request: Request) -> str:
    """Returns why a request that was not answered here is no longer open."""
    session = fleet.sessions.get(request.session_id)
    machine = fleet.find_machine(session) if session else None
    if session is not None and machine is not None and session.is_silent:
        return f"no word from {machine.name}, nothing was answered: {ANSWER_THERE}"
    if session is None or session.liveness is not Liveness.LIVE:
        return "the session has ended"
    if not any(wait.key == request.key for wait in session.waits):
        return "answered elsewhere"
    if fleet.find_arming(session) is not Arming.ON:
        return f"not armed any more: {ANSWER_THERE}"
    return f"it waits here no longer: {ANSWER_THERE}"
