"""Messages of `atm-tui answer` about requests and their answers."""

from atm_hooks.payload import summarize_input
from atm_tui.model.fleet import Fleet
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.text import clean, cut_width

_DONE = {
    "allow": "Allowed.",
    "deny": "Denied.",
    "always": "Allowed from now on.",
    "answer": "Answered.",
    "approve": "Approved.",
}
_NOT_GIVEN = {
    AnswerOutcome.ELSEWHERE: "answered elsewhere: yours came second.",
    AnswerOutcome.GONE: "not given: its hook has stopped waiting. Its dialog may still be open in its pane.",
    AnswerOutcome.VOID: "not given: it changed since it was shown, or the answer does not fit. Its dialog stays open in its pane.",
    AnswerOutcome.REFUSED: "refused: only a person answers.",
    AnswerOutcome.REFUSED_THERE: "refused on its machine: only a person answers.",
    AnswerOutcome.NOT_SENT: "not sent: there is no link to its machine.",
    AnswerOutcome.UNKNOWN: "the link broke meanwhile, and the answer may have counted or not: look in its pane.",
}
_NOTHING_WAITS = {
    Arming.NOT_INSTALLED: "the hooks don't wait for answers. `atm-tui install --answers` switches that on.",
    Arming.OFF: "no app is armed. Press A in atm-tui: requests that come from then on can be answered.",
    Arming.READ_ONLY: "nothing waits for an answer here.",
}


def describe_given_answer(decision: Decision) -> str:
    """Describes the effect of an answer that was given."""
    return _DONE[decision.kind]


def describe_refused_answer(outcome: AnswerOutcome) -> str:
    """Returns why an answer was not given."""
    return _NOT_GIVEN[outcome]


def describe_nothing_waits(arming: Arming) -> str:
    """Returns why there is no request to answer, and what to do."""
    return _NOTHING_WAITS.get(arming, "nothing waits for an answer here. `atm-tui status` lists the sessions.")


def ask_if_meant(decision: Decision) -> str:
    """Returns the question that confirms a decision on the command line."""
    return f"{_DONE[decision.kind].rstrip('.')}: are you sure? y, or Enter cancels: "


def format_request(request: Request, fleet: Fleet, width: int) -> str:
    """Returns a request as a line of at most `width` cells: its id, its session, and what it asks."""
    session = fleet.sessions.get(request.session_id)
    name = clean(session.name) if session else request.session_id[:8]
    what = clean(summarize_input(request.tool, request.input))
    return cut_width(f"{request.nonce[:8]}  {name}  {clean(request.tool)} {what}".rstrip(), width)
