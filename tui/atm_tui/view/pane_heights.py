"""Divides the lines of a column among its panes."""

from collections.abc import Sequence

import msgspec

FOCUSED = 6
"""Least number of lines of the pane with the focus, if its text has as many."""
FEW = 4
"""Least number of lines of a column that lists the names of hidden panes."""


ALL = 10_000
"""More lines than any text has."""


class Want(msgspec.Struct, frozen=True):
    """How many lines a pane needs."""

    name: str
    lines: int
    """Number of lines of its text; 0: only its name is shown."""
    least: int
    """Least number of lines with which the pane is shown."""
    share: int | None = None
    """Number of lines that the user gave it; None: as many as its text needs."""
    enough: int = ALL
    """Number of lines after which the other panes get theirs first."""


class Allotment(msgspec.Struct, frozen=True):
    """The result. All lines, one for each title and one for the names add up to the height."""

    lines: dict[str, int]
    """Lines of text by pane, top to bottom; the last pane may get more than its text needs."""
    names: bool
    """Whether there is a line with the names of hidden panes."""


def allot_lines(wants: Sequence[Want], height: int, kept: str | None = None) -> Allotment:
    """Divides `height` lines among panes, in order; `kept` (the one with the focus) is always shown.

    Each pane that is shown gets its least. The rest goes first to panes that the user resized, then to the others in
    order: until each has enough, then until each shows all of its text.
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
    """Returns the panes that have room for a title and their least, in order; always at least the first."""
    shown: list[Want] = []
    for each in able:
        hidden = each.share == 0 and each.name != kept
        need = 1 + _find_least(each, kept)
        if room >= 2 and (not shown or (need <= room and not hidden)):
            shown.append(each)
            room -= need
    return shown
