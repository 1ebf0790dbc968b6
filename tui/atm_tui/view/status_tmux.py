"""The fleet as one short line, for the status line of tmux. Pure."""

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, State
from atm_tui.text import clean, cut_width, format_age

NEEDS, WORKING = ("●", "!"), ("◐", "*")
"""The signs of the two states, each with the one that is shown when only ASCII can be."""
_NAME = 24
"""Cells that the name of a session gets at most."""


def format_tmux(fleet: Fleet, at: float, *, ascii_only: bool = False) -> str:
    """Returns how many sessions need you and how many work, then the name of the one that waits longest and for how long.

    `2 ● 5 ◐  api 12m`. A count of 0 is left out; without any session that waits or works the line is empty. tmux would read a
    `#` as the begin of a style: it is written twice.
    """
    waiting = fleet.list_attention()
    working = sum(each.liveness is Liveness.LIVE and each.state is State.WORKING for each in fleet.sessions.values())
    counts = ((len(waiting), NEEDS[ascii_only]), (working, WORKING[ascii_only]))
    parts = [" ".join(f"{count} {sign}" for count, sign in counts if count)]
    if waiting:
        first = waiting[0]
        age = format_age(at - first.since) if first.since else ""
        parts.append(f"{cut_width(clean(first.name), _NAME)} {age}".rstrip().replace("#", "##"))
    return "  ".join(parts)
