"""Writes step 1 of the install wizard: the settings files, and what each of them contains."""

from collections.abc import Collection, Sequence
from pathlib import Path

from atm_tui.settings.locations import Scope
from atm_tui.settings.survey import Found
from atm_tui.text import fit_width, format_count
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs, Part, spread
from atm_tui.view.wizard_text import (
    LABEL,
    format_path,
    format_short_path,
    write_flagged,
    write_labelled,
    write_trouble,
)

SCOPES = {
    Scope.USER: "yours, in all projects",
    Scope.PROJECT: "this project's, shared with others",
    Scope.LOCAL: "this project's, yours alone",
}
BACKUPS = "written before each change"


def format_state(found: Found, glyphs: Glyphs) -> Part:
    """Returns the state of a file in two or three words."""
    if found.trouble is not None:
        return f"{glyphs.failed} can't be changed", "error"
    if found.faults:
        return f"{glyphs.warning} needs an update", "needs"
    if found.ours:
        return f"{glyphs.finished} installed", "finished"
    return ("no file yet" if found.data is None else "not installed"), "muted"


def write_files(
    width: int, *, found: Sequence[Found], picked: Collection[Path], glyphs: Glyphs, home: str
) -> list[ListLine]:
    """Writes a line for each file: whether it is picked, path, state."""
    result = []
    for each in found:
        path, mark = each.target.path, "[x] " if each.target.path in picked else "[ ] "
        words = format_state(each, glyphs)
        others: list[Part] = (
            [(f"{format_count(each.others, 'hook')} of others  ", "muted")] if each.others and width > 90 else []
        )
        room = width - len(mark) - len(words[0]) - sum(len(piece) for piece, _ in others) - 2
        name = format_short_path(path, home, room)
        role = "strong" if path in picked else "plain"
        left: list[Part] = [(mark, "key" if path in picked else "muted"), (name, role)]
        result.append(make_list_line(*spread(left, [*others, words], width), key=path))
    return result


def write_file(width: int, *, found: Found | None, policy: Sequence[str], glyphs: Glyphs, home: str) -> list[ListLine]:
    """Writes what a file contains."""
    if found is None:
        return []
    result = [make_list_line((SCOPES[found.target.scope], "muted")), make_list_line()]
    if found.trouble is not None:
        return [*result, *write_trouble(found.trouble, width, glyphs), *_write_backups(found, width)]
    if found.is_disabled:
        words = "disableAllHooks is true here: no hook and no statusLine runs until it is false"
        result += write_flagged(words, width, (glyphs.warning, "needs"), "needs")
    result += _write_ours(found, width)
    result += _write_others(found, width, home)
    if found.line is not None:
        result += write_labelled("statusLine", found.line, width)
        result.append(make_list_line((" " * LABEL + "keeps running; ours listens in", "muted")))
    for line in policy:
        result += write_labelled("policy", line, width)
    if found.notes:
        result.append(make_list_line())
        for note in found.notes:
            result += write_flagged(note, width, (glyphs.warning, "notice"))
    return [*result, *_write_backups(found, width)]


def _write_ours(found: Found, width: int) -> list[ListLine]:
    if found.faults:
        return [line for fault in found.faults for line in write_labelled("atm-tui", fault, width, "notice")]
    if found.ours:
        return write_labelled("atm-tui", f"installed and current, {len(found.ours)} events", width)
    words = (
        "nothing yet" if found.data is not None else "nothing yet: the file is created, and deleted again by uninstall"
    )
    return write_labelled("atm-tui", words, width, "muted")


def _write_others(found: Found, width: int, home: str) -> list[ListLine]:
    if not found.hooks:
        return write_labelled("others", "no hooks of other tools", width, "muted") if found.data is not None else []
    result = write_labelled("others", f"{format_count(found.others, 'hook')} of other tools, kept as they are", width)
    for event, commands in found.hooks:
        for at, command in enumerate(commands):
            name = fit_width("" if at else event, 20)
            result.append(make_list_line((f"  {name}", "muted"), (format_path(command, home), "plain")))
    return result


def _write_backups(found: Found, width: int) -> list[ListLine]:
    if not found.backups:
        return []
    return [make_list_line(), *write_labelled("backups", f"{len(found.backups)}, {BACKUPS}", width, "muted")]
