"""Messages of `atm-tui answer` about requests and their answers."""

from collections.abc import Collection

from atm_hooks.payload import summarize_input
from atm_tui.model.fleet import Fleet
from atm_tui.model.host import shorten_id
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.text import clean, cut_width
from atm_tui.view.machine_text import describe_link

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
    AnswerOutcome.REFUSED_THERE: (
        "refused on its machine: only a person answers, and neither ssh nor a container leads to its atm-tui."
    ),
    AnswerOutcome.NOT_SENT: "not sent: there is no link to its machine.",
    AnswerOutcome.UNKNOWN: "the link broke meanwhile, and the answer may have counted or not: look in its pane.",
}
_NOTHING_WAITS = {
    Arming.NOT_INSTALLED: "the hooks don't wait for answers. `atm-tui install --answers` switches that on.",
    Arming.OFF: "no app is armed. Press A in atm-tui: requests that come from then on can be answered.",
    Arming.READ_ONLY: "nothing waits for an answer here.",
}
_NOT_ASKED = "it is not asked for requests: set `answers = true` in its entry of `hosts`"


def describe_given_answer(decision: Decision) -> str:
    """Describes the effect of an answer that was given."""
    return _DONE[decision.kind]


def describe_refused_answer(outcome: AnswerOutcome) -> str:
    """Returns why an answer was not given."""
    return _NOT_GIVEN[outcome]


def describe_nothing_waits(fleet: Fleet, now: float, machines: Collection[str] = ()) -> str:
    """Returns why there is no request to answer, and what to do. `machines`: only on these, "" for this one; none: on all."""
    here = _NOTHING_WAITS.get(fleet.arming, "nothing waits for an answer here. `atm-tui status` lists the sessions.")
    reasons = {"": here, **{each.name: _describe_nothing_there(each, now) for each in fleet.machines}}
    chosen = {name: why for name, why in reasons.items() if not machines or name in machines}
    if set(chosen) == {""}:
        return here
    lines = [f"{name or 'here'}: {why}" for name, why in chosen.items()]
    return (
        lines[0] if len(lines) == 1 else "\n".join(["nothing waits for an answer.", *(f"  {each}" for each in lines)])
    )


def _describe_nothing_there(machine: Machine, now: float) -> str:
    if problem := explain_closed(machine, now) or clean(machine.arming_problem):
        return f"{problem.removesuffix('.')}."
    if machine.arming is Arming.OFF:
        return "no app is armed for it. Press A in atm-tui: requests that come from then on can be answered."
    return "nothing waits for an answer there."


def explain_closed(machine: Machine, now: float) -> str:
    """Returns why no request of a machine can be answered from here, with the next step; "" where one can be."""
    if machine.link is not LinkState.LIVE:
        return "".join(text for text, _ in describe_link(machine, now, is_followed=False))
    if machine.arming is Arming.NOT_INSTALLED:  # as here, where nothing can be asked then
        return ""
    return clean(machine.arming_problem) or (_NOT_ASKED if machine.arming is None else "")


def format_request_id(request: Request) -> str:
    """Returns the start of a request's own id, as it can be given to `answer`."""
    own = request.own_nonce[:8]
    return f"{request.machine}:{own}" if request.machine else own


def ask_if_meant(decision: Decision) -> str:
    """Returns the question that confirms a decision on the command line."""
    return f"{_DONE[decision.kind].rstrip('.')}: are you sure? y, or Enter cancels: "


def format_request(request: Request, fleet: Fleet, width: int) -> str:
    """Returns a request as a line of at most `width` cells: its id, its session, and what it asks."""
    session = fleet.sessions.get(request.session_id)
    name = clean(session.name) if session else shorten_id(request.session_id)
    what = clean(summarize_input(request.tool, request.input))
    return cut_width(f"{format_request_id(request)}  {name}  {clean(request.tool)} {what}".rstrip(), width)
