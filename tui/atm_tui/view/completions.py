"""Writes sessions and projects as completions of a shell: what can be typed, and a short description of each. Pure."""

from collections import Counter
from collections.abc import Iterable

from atm_tui.model.session import Liveness, Session
from atm_tui.model.sorting import Order, rank_sessions
from atm_tui.text import clean
from atm_tui.view.status_text import name_state

_LONGEST = 40
"""Most characters of a name that is offered; of longer ones, the id is."""
_ID = 8
"""Characters of an id that are offered, or more where these don't tell sessions apart."""


def list_session_completions(sessions: Iterable[Session], typed: str) -> dict[str, str]:
    """Returns what names each session, the ones that need you first: its name, else the start of its id.

    Where `typed` begins an id, the id; where it has a `/`, project/name.
    """
    known = list(sessions)
    ranks = rank_sessions(known, Order.ATTENTION)
    known.sort(key=lambda each: (each.liveness is not Liveness.LIVE, ranks[each.session_id]))
    names = Counter(each.name.casefold() for each in known)
    starts = Counter(each.session_id[:_ID] for each in known)
    found = {}
    for each in known:
        handle = short = each.session_id if starts[each.session_id[:_ID]] > 1 else each.session_id[:_ID]
        if "/" in typed and each.project.name:
            handle = f"{each.project.name.rpartition('/')[2]}/{each.name}"
        elif not typed or not each.session_id.startswith(typed):
            handle = each.name
        if names[each.name.casefold()] > 1 or not _can_be_typed(handle):
            handle = short
        others = (name_state(each), each.project.name, short if handle != short else each.name)
        found[handle] = " · ".join(clean(text) for text in others if text)
    return found


def list_project_completions(sessions: Iterable[Session]) -> dict[str, str]:
    """Returns the names of projects, with their folders."""
    found = {each.project.name: clean(each.project.root) for each in sessions}
    return {name: folder for name, folder in sorted(found.items()) if _can_be_typed(name)}


def _can_be_typed(text: str) -> bool:
    """Whether a name from outside is safe in a shell's list, and short enough for it."""
    return 0 < len(text) <= _LONGEST and text.isprintable() and clean(text) == text and not text.startswith(("-", " "))
