"""What the screens say of requests and answers: what became of one, why one is gone, and whether it is on the screen."""

import re
from enum import Enum

from rich.cells import get_character_cell_size

from atm_tui.model.fleet import Fleet
from atm_tui.model.request import Answered, Arming, Decision, Request
from atm_tui.model.session import Liveness
from atm_tui.view.request import whole_line


class Action(Enum):
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


_END = r"(?=  |\s*$|\s?[│┃|])"
"""A column of the screen ends here."""


def stands(request: Request, lines: list[str]) -> bool:
    """Whether the whole input stands on the screen in one piece, and a column ends behind it.

    Either behind the tool's name, as in a row, or as the only line below the sentence of the status pane.
    """
    line = whole_line(request)
    if line is None:
        return False
    tool, words = re.escape(request.tool), re.escape(line)
    row = re.compile(rf"(?<!\S){tool} {{1,2}}{words}{_END}")
    if any(row.search(each) for each in lines):
        return True
    sentence = re.compile(rf"\S+ wants to run {tool}{_END}")
    alone = re.compile(rf"  {re.escape(_by_cell(line))}{_END}")
    cells = [*map(_by_cell, lines), "", ""]
    for above, each, below in zip(cells, cells[1:], cells[2:], strict=False):
        found = sentence.search(above)
        # What is broken goes on below, at the same indent.
        if found and alone.match(each, found.start()) and not re.match(r"  \S", below[found.start() :]):
            return True
    return False


def _by_cell(line: str) -> str:
    """A line with as many characters as cells, so that what stands below one another has one place."""
    return "".join(each + "\0" * (get_character_cell_size(each) - 1) for each in line)
