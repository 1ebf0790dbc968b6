"""Describes who answered a request, and how."""

from atm_tui.timeline.wait_record import AnsweredBy, WaitRecord

_DECISIONS = {
    "allow": "allowed",
    "deny": "denied",
    "always": "allowed from now on",
    "answer": "answered",
    "approve": "approved",
}


def describe_answer(record: WaitRecord) -> str:
    """Returns who answered: "allowed here", "denied from a shell", "allowed from another machine", "answered there"."""
    match record.by:
        case AnsweredBy.HERE:
            where = {"shell": "from a shell", "stream": "from another machine"}.get(record.through, "here")
            return f"{_DECISIONS.get(record.decision, 'answered')} {where}"
        case AnsweredBy.THERE:
            return "answered there"
        case AnsweredBy.RULE:
            return "settled by a rule"
    return "still open" if record.until is None else "not answered"


def name_answer(record: WaitRecord) -> str:
    """Returns the same in at most 14 cells: what was decided here, else where the answer came from; empty if not answered."""
    if record.by is AnsweredBy.HERE:
        return _DECISIONS.get(record.decision, "answered").split()[0]
    return {AnsweredBy.THERE: "answered there", AnsweredBy.RULE: "by a rule"}.get(record.by, "")
