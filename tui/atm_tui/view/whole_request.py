"""Decides whether the words of a wait show all of a request, so that it can be allowed from them.

Nothing here reads the screen: a widget passes the wait that it rendered, and checks itself where its words are.
"""

from collections.abc import Sequence

from rich.cells import cell_len

from atm_tui.model.request import Request
from atm_tui.model.session import Session
from atm_tui.model.wait import Wait
from atm_tui.view.present import Part
from atm_tui.view.request import write_whole_line
from atm_tui.view.status_text import describe_wait


def names_whole(wait: Wait | None, request: Request) -> bool:
    """Returns whether the tool and the summary of a wait, written in full, are all of the request."""
    line = write_whole_line(request)
    if wait is None or line is None or wait.key != request.key:
        return False
    asked = describe_wait(wait)
    return (asked.tool, asked.summary) == (request.tool, line)


def find_first_wait(session: Session | None, agent_id: str | None = None) -> Wait | None:
    """Returns the wait that the row of a session, or of one of its agents, shows."""
    waits = session.waits if session is not None and not session.problem else ()
    return next((each for each in waits if agent_id is None or each.agent_id == agent_id), None)


def fits(parts: Sequence[Part], width: int) -> bool:
    """Returns whether parts fit into `width` cells uncut."""
    return sum(cell_len(text) for text, _ in parts) <= width
