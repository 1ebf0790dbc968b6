"""Finds keys that two commands have in one place."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

from atm_tui.commands import ANSWERS, COMMANDS, GROUPS
from atm_tui.view.command import Command, format_key
from atm_tui.view.dialog_commands import DIALOGS, MOTIONS, NEEDED

PLACES: tuple[frozenset[str], ...] = (
    frozenset({"tree", "main", "organize", "custom", "empty", "app"}),
    frozenset({"tree", "main", "organize", "custom", "replay", "app"}),
    frozenset({"tree", "pane", "app"}),
    frozenset({"peek", "answers", "motion", "help"}),
    frozenset({"request", "answers", "motion"}),
    frozenset({"usage", "app", "motion"}),
    frozenset({"tree", "conversation", "app"}),
    *(frozenset({each, "motion"}) for each in sorted(DIALOGS)),
)
"""The groups whose keys work at the same time; a key of a pane comes before one of the views."""
_ALSO = {"answers": ANSWERS, "motion": MOTIONS, "help": ("help",)}
"""The commands that work in further places, by the name that these have for them."""
FIXED = {
    "request": ("escape", "q", "tab", "shift+tab", "space"),
    "answers": ("escape", "q", "tab", "shift+tab", "space"),
    "peek": (),
    "usage": ("escape",),
}
"""By group: the keys of its place that are no commands, and can't be given to one."""
YES = (*ANSWERS, "sure", "choose", "send", "other")
"""The commands that answer, or confirm an answer."""


def list_groups(command: Command) -> tuple[str, ...]:
    """Returns the group of a command and, for one that also works in further places, its name there: `answers`, `motion`."""
    return (command.group, *(name for name, members in _ALSO.items() if command.id in members))


def work_together(one: Command, other: Command) -> bool:
    """Returns whether the keys of two commands work in one place, where only one of them can have a key."""
    return _share_place(one, other) and frozenset((one.id, other.id)) not in _list_turns()


def _share_place(one: Command, other: Command) -> bool:
    groups = list_groups(one), list_groups(other)
    return one.group == other.group or any(
        not place.isdisjoint(groups[0]) and not place.isdisjoint(groups[1]) for place in PLACES
    )


def _find_clash(one: Command, other: Command) -> tuple[str, str] | None:
    """Returns a key of each that is the same, or of which one is the first of the other's chord."""
    for mine in one.keys:
        for theirs in other.keys:
            if mine == theirs or mine.startswith(f"{theirs} ") or theirs.startswith(f"{mine} "):
                return mine, theirs
    return None


@cache  # takes too long for the start of the app
def _list_turns() -> frozenset[frozenset[str]]:
    """Returns the pairs of commands of which only one works at a time, so that they may share a key: pin, and pause in a replay."""
    return frozenset(
        frozenset((one.id, other.id))
        for one, other in combinations(COMMANDS, 2)
        if _share_place(one, other) and _find_clash(one, other)
    )


def find_conflicts(commands: Sequence[Command], given: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yields the id of a command with a message for each key that another one has in the same place.

    `given`: the ids of the commands whose keys the user set: those are named first, since they are what can be changed.
    """
    for command in commands:
        yield from _find_own(command)
    for one, other in combinations(commands, 2):
        if one.id not in given and other.id not in given:
            continue
        if not work_together(one, other) or (clash := _find_clash(one, other)) is None:
            continue
        mine, its = (one, other) if one.id in given else (other, one)
        key, theirs = clash if mine is one else clash[::-1]
        yield mine.id, _explain(key, its.id, theirs)


def _explain(key: str, other: str, theirs: str) -> str:
    label, its = format_key(key, ascii_only=True), format_key(theirs, ascii_only=True)
    if key == theirs:
        clash = f'"{label}" is also a key of {other}'
    elif theirs.startswith(f"{key} "):
        clash = f'"{label}" is the first key of "{its}", the chord of {other}'
    else:
        clash = f'"{label}" begins with "{its}", a key of {other}'
    return f"{clash}: choose another key, or set keys.{other} too ([]: no key)"


def _find_own(command: Command) -> Iterator[tuple[str, str]]:
    """Yields what is wrong with the keys of one command, whatever the others have."""
    if not command.keys and command.id in NEEDED:
        yield command.id, f'needs a key: nothing else runs "{command.title}" {GROUPS[command.group][2]}'
    for key in command.keys:
        fixed = next((group for group in list_groups(command) if key in FIXED.get(group, ())), None)
        if command.id in YES and " " in key:
            label = format_key(key, ascii_only=True)
            yield command.id, f'"{label}" is a chord: an answer needs one key, so that none is given by accident'
        elif fixed is not None and key not in next(each.keys for each in COMMANDS if each.id == command.id):
            label = format_key(key, ascii_only=True)
            yield command.id, f'"{label}" has a fixed meaning there: choose another key'
    firsts = {key.split()[0] for key in command.keys if " " in key}
    for key in firsts.intersection(command.keys):
        label = format_key(key, ascii_only=True)
        yield command.id, f'"{label}" is the first key of a chord of the same command: leave one of them out'
