"""How a column's lines are divided among its panes."""

from collections.abc import Sequence
from dataclasses import dataclass

FOCUSED = 6
"""Lines that the pane with the focus gets at least, if its text has as many."""
FEW = 4
"""Lines of a column below which there is no line with the names of the panes that are not shown."""


ALL = 10_000
"""More lines than any text has."""


@dataclass(frozen=True)
class Want:
    """How many lines a pane needs."""

    name: str
    lines: int
    """Lines of its text; 0: only its name is shown."""
    least: int
    """Lines of text below which it is not worth its title."""
    share: int | None = None
    """Lines that the user gave it; None: as many as its text needs."""
    enough: int = ALL
    """Lines after which the other panes are served first."""


@dataclass(frozen=True)
class Allotment:
    """The division. All lines, one for each title and one for the names add up to the height."""

    lines: dict[str, int]
    """Lines of text by pane, top to bottom; the last one may get more than it has text for."""
    names: bool
    """Whether there is a line with the names of those that are not shown."""


def allot_lines(wants: Sequence[Want], height: int, kept: str | None = None) -> Allotment:
    """Divides `height` lines among panes. `kept` (the one with the focus) is always shown; the others in their order.

    Each pane that is shown gets its least. What is left goes to those with a share of their own, then to the others in
    order: first until each has enough, then until each has all of its text.
    """
    ranked = sorted(wants, key=lambda each: each.name != kept)
    able = [each for each in ranked if each.lines or each.name == kept]
    names = len(able) < len(wants) and height >= FEW
    shown = _admit_panes(able, height - names, kept)
    if len(shown) < len(able) and not names and height >= FEW:
        names = True
        shown = _admit_panes(able, height - 1, kept)
    if not shown:
        return Allotment({}, names)
    lines = {each.name: min(_find_least(each, kept), height - names - 1) for each in shown}
    room = height - names - len(shown) - sum(lines.values())
    queue = sorted(shown, key=lambda each: (each.share is None, wants.index(each)))
    for each, enough in (*((each, each.enough) for each in queue), *((each, ALL) for each in queue)):
        goal = min(each.lines, enough if each.share is None else each.share)
        more = max(0, min(goal - lines[each.name], room))
        lines[each.name] += more
        room -= more
    ordered = {each.name: lines[each.name] for each in wants if each.name in lines}
    last = next(reversed(ordered))
    ordered[last] += room
    return Allotment(ordered, names)


def _find_least(want: Want, kept: str | None) -> int:
    least = want.least if want.share is None else min(want.least, want.share)
    if want.name == kept:
        least = max(1, FOCUSED if want.share is None else min(FOCUSED, want.share))
    return max(1, min(least, want.lines))


def _admit_panes(able: Sequence[Want], room: int, kept: str | None) -> list[Want]:
    """Returns the panes that have room for a title and their least, in order; the first one in any case."""
    shown: list[Want] = []
    for each in able:
        hidden = each.share == 0 and each.name != kept
        need = 1 + _find_least(each, kept)
        if room >= 2 and (not shown or (need <= room and not hidden)):
            shown.append(each)
            room -= need
    return shown
