"""The short line for the status line of tmux. Pure; loads nothing large, since tmux asks for it every few seconds."""

from atm_tui.text import clean, cut_width, format_age

NEEDS, WORKING = ("●", "!"), ("◐", "*")
"""The signs of the two states, each with the one that is shown when only ASCII can be."""
_NAME = 24
"""Cells that the name of a session gets at most."""


class TmuxFacts:
    """What the line says, apart from the time."""

    def __init__(self, waiting: int, working: int, name: str = "", since: float = 0.0) -> None:
        """The numbers of sessions that need you and that work; the one that waits longest, and since when (epoch seconds)."""
        self.waiting = waiting
        self.working = working
        self.name = name
        self.since = since


def format_tmux(facts: TmuxFacts, at: float, *, ascii_only: bool = False) -> str:
    """Returns how many sessions need you and how many work, then the name of the one that waits longest and for how long.

    `2 ● 5 ◐  api 12m`. A count of 0 is left out; without any session that waits or works the line is empty. tmux would read a
    `#` as the begin of a style: it is written twice.
    """
    counts = ((facts.waiting, NEEDS[ascii_only]), (facts.working, WORKING[ascii_only]))
    parts = [" ".join(f"{count} {sign}" for count, sign in counts if count)]
    if facts.waiting:
        age = format_age(at - facts.since) if facts.since else ""
        parts.append(f"{cut_width(clean(facts.name), _NAME)} {age}".rstrip().replace("#", "##"))
    return "  ".join(parts)
