"""The short line for the status line of tmux. Pure; loads nothing large, since tmux asks for it every few seconds."""

from collections.abc import Mapping, Sequence

from atm_tui.text import clean, cut_width, format_age

NEEDS, WORKING = ("●", "!"), ("◐", "*")
"""The signs of the two states, each with its ASCII replacement."""
_NAME = 24
"""Largest width of a session's name in cells."""


class TmuxFacts:
    """The facts of the line, apart from the time."""

    def __init__(self, waiting: int, working: int, name: str = "", since: float = 0.0) -> None:
        """The numbers of sessions that need you and are working; the one that waits longest, and since when (epoch seconds)."""
        self.waiting = waiting
        self.working = working
        self.name = name
        self.since = since


def count_for_tmux(sessions: Mapping[str, Sequence[str]]) -> TmuxFacts:
    """Returns the facts of the line. `sessions`: by id what `describe_for_tmux` says of each, or nothing.

    Raises ValueError for anything else.
    """
    working, waiting = 0, []
    for key, texts in sessions.items():
        if texts:
            sign, since, name = texts
            if sign == NEEDS[0]:
                waiting.append((float(since), key, name))
            else:
                working += 1
    if not waiting:
        return TmuxFacts(0, working)
    longest = min(waiting)
    return TmuxFacts(len(waiting), working, longest[2], longest[0])


def format_tmux(facts: TmuxFacts, at: float, *, ascii_only: bool = False) -> str:
    """Returns how many sessions need you and how many are working, then the name of the one that waits longest and for how long.

    `2 ● 5 ◐  api 12m`. A count of 0 is left out; without any session that waits or works the line is empty. A
    `#` is doubled, since tmux would read it as the start of a style.
    """
    counts = ((facts.waiting, NEEDS[ascii_only]), (facts.working, WORKING[ascii_only]))
    parts = [" ".join(f"{count} {sign}" for count, sign in counts if count)]
    if facts.waiting:
        age = format_age(at - facts.since) if facts.since else ""
        parts.append(f"{cut_width(clean(facts.name), _NAME)} {age}".rstrip().replace("#", "##"))
    return "  ".join(parts)
