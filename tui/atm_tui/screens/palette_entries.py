"""The entries of the command palette: commands, sessions and themes, their match with the query, and their lines."""

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len
from textual.fuzzy import FuzzySearch

from atm_tui.commands import GROUPS, describe_place
from atm_tui.model.fleet import Fleet
from atm_tui.text import clean, fit_width
from atm_tui.view import present
from atm_tui.view.columns import mark_words
from atm_tui.view.command import Command, Selection, format_keys
from atm_tui.view.present import Glyphs, Part, fit_parts

Run = Callable[[], Any]

GROUP = 9
"""Width in cells of the group's name and the blank after it."""
ROOMY = 56
"""Width in cells from which on the group has a column of its own."""


@dataclass(frozen=True)
class Entry:
    """A line of the palette. All text is clean."""

    group: str
    title: str
    note: tuple[Part, ...]
    """What it does or, if it is disabled, why."""
    run: Run
    key: str = ""
    able: bool = True
    sign: Part | None = None
    words: str = ""
    """Further text to search, besides group, title and note."""
    fuzzy: bool = False
    """Whether fuzzy matching applies to the title; only for short titles."""


def list_command_entries(
    selection: Selection,
    here: Container[str],
    run: Callable[[Command], Run],
    every: Sequence[Command],
    *,
    ascii_only: bool,
) -> list[Entry]:
    """Lists `every` command by group. `here`: ids of those whose keys work where the palette was opened."""
    entries = []
    for group, (word, _, _) in GROUPS.items():
        for each in every:
            if each.group != group or each.id == "palette":
                continue
            why = list_unbound(each, here) or each.disabled(selection)
            keys = " ".join(format_keys(each, ascii_only=ascii_only))
            note = (clean(each.help), "muted") if why is None else (why, "faint")
            entries.append(
                Entry(word, each.title, (note,), run(each), keys, able=why is None, words=each.help, fuzzy=True)
            )
    return entries


def list_unbound(command: Command, here: Container[str]) -> str | None:
    """Returns why the palette can't run a command by its key; None if it can. `here`: ids of those whose keys work."""
    if command.id not in here:
        return describe_place(command)
    return "press its key" if command.by_key else None


def list_session_entries(
    fleet: Fleet, shown: Callable[[str], bool], run: Callable[[str], Run], glyphs: Glyphs
) -> list[Entry]:
    """Lists all sessions, those that need you first. `shown`: returns whether a session is not dismissed."""
    waiting = list(fleet.list_attention())
    others = [each for each in fleet.sessions.values() if each not in waiting]
    entries = []
    for session in (*waiting, *others):
        project = clean(session.project.name)
        state = present.write_session_status(session, glyphs)
        note = [*([(f"{project} · ", "muted")] if project else []), *state]
        able = shown(session.session_id)
        note = note if able else [("dismissed; the history has it", "faint")]
        more = " ".join((session.session_id, clean(session.project.branch or "")))
        sign = present.choose_session_glyph(session, glyphs)
        name = clean(session.name)
        entries.append(Entry("go to", name, tuple(note), run(session.session_id), able=able, sign=sign, words=more))
    return entries


def list_theme_entries(names: Iterable[str], now: str, run: Callable[[str], Run]) -> list[Entry]:
    """Lists all themes, and which one is in use."""
    return [
        Entry("theme", name, (("in use" if name == now else "Use these colours", "muted"),), run(name), fuzzy=True)
        for name in names
    ]


def rate_match(entry: Entry, query: str, fuzzy: FuzzySearch) -> float:
    """Returns how well an entry matches, 0 for no match: titles count more than other text, whole words more than fuzzy ones."""
    typed = query.casefold()
    title = entry.title.casefold()
    able = 0.5 if entry.able else 0.0
    if typed == title:
        return 8 + able
    if title.startswith(typed):
        return 6 + able
    if typed in title:
        return 4 + able
    text = " ".join((entry.group, title, *(part for part, _ in entry.note), entry.words)).casefold()
    if all(word in text for word in typed.split()):
        return 2 + able
    return 1 + able if entry.fuzzy and fuzzy.match(typed, title)[0] else 0.0


def write_entry_line(entry: Entry, width: int, marks: tuple[str, ...] = (), *, first: bool = True) -> list[Part]:
    """Writes an entry in exactly `width` cells: group, sign, title, note, and the key at the right.

    `first`: whether it is the first of its group, which shows the group's name; `marks`: what is highlighted in the title.
    """
    roomy = width >= ROOMY
    group: list[Part] = [(fit_width(entry.group if first else "", GROUP), "faint")] if roomy else []
    room = width - (GROUP if roomy else 0)
    key = entry.key if cell_len(entry.key) <= room // 3 else entry.key.split(" ")[0]
    tail: list[Part] = [(f" {key}", "key" if entry.able else "faint")] if key else []
    # All notes start in the same column, whatever the length of the keys.
    title = min(28, room // 3)
    room -= sum(cell_len(text) for text, _ in tail)
    title = title if room >= 30 else room
    role = "strong" if entry.able else "muted"
    named = [*([entry.sign, (" ", "plain")] if entry.sign else []), *mark_words((entry.title, role), marks)]
    parts = [*group, *fit_parts(named, title)]
    if room > title:
        parts += [("  ", "plain"), *fit_parts(entry.note, room - title - 2)]
    return [*parts, *tail]
