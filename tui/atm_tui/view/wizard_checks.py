"""Writes step 4 of the install wizard: what was written, and the doctor's checks with advice and measured time."""

from collections.abc import Sequence

from atm_tui.settings.apply import Applied
from atm_tui.settings.check import Check, Level
from atm_tui.settings.survey import Trouble
from atm_tui.text import clean, fit_width, format_count, wrap_text
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs, Part, spread
from atm_tui.view.wizard_text import format_path, format_short_path, write_paragraph, write_trouble

NAME = 15
"""Width in cells of a check's name."""


def write_checks(width: int, *, checks: Sequence[Check], running: bool, glyphs: Glyphs, home: str) -> list[ListLine]:
    """Writes a line for each check with its advice below it, and a heading for each file."""
    signs: dict[Level, Part] = {
        Level.OK: (f"{glyphs.finished} ", "finished"),
        Level.WARNING: (f"{glyphs.warning} ", "needs"),
        Level.BROKEN: (f"{glyphs.failed} ", "error"),
    }
    result: list[ListLine] = []
    where = None
    for check in checks:
        if check.where != where:
            result += [
                *([make_list_line()] if result else []),
                make_list_line((format_short_path(check.where, home, width), "muted")),
            ]
            where = check.where
        ms = f"{check.ms:.0f} ms" if check.ms is not None else ""
        words = clean(check.text.removesuffix(f", {ms}")) if ms else clean(check.text)
        first, *others = wrap_text(words, width - 2 - NAME - len(ms), 4) or [""]
        role = {Level.OK: "plain", Level.WARNING: "notice", Level.BROKEN: "error"}[check.level]
        left: list[Part] = [signs[check.level], (fit_width(check.name, NAME), "muted"), (first, role)]
        result.append(make_list_line(*spread(left, [(ms, "strong")], width)))
        pad = " " * (NAME + 2)
        result += [make_list_line((pad + each, role)) for each in others]
        if check.advice:
            result += write_paragraph(format_path(check.advice, home), width, "muted", pad)
    if running:
        result += [*([make_list_line()] if result else []), make_list_line((f"{glyphs.working} checking", "working"))]
    return result


def format_verdict(checks: Sequence[Check], glyphs: Glyphs) -> Part:
    """Returns the result of all checks in a word or two."""
    broken = sum(check.level is Level.BROKEN for check in checks)
    warned = sum(check.level is Level.WARNING for check in checks)
    if broken:
        return f"{glyphs.failed} {broken} broken", "error"
    if warned:
        return f"{glyphs.warning} {format_count(warned, 'warning')}", "needs"
    return f"{glyphs.finished} all checks passed", "finished"


def write_applied(
    width: int, *, done: Sequence[Applied], verb: str, trouble: Trouble | None, more: str, glyphs: Glyphs, home: str
) -> list[ListLine]:
    """Lists the files that were written and their backups, or why nothing was written."""
    result: list[ListLine] = []
    for applied in done:
        path = applied.plan.path
        word = "removed" if applied.plan.after is None else verb
        sign: Part = (f"{glyphs.finished} ", "finished")
        result.append(
            make_list_line(
                sign,
                *spread(
                    [(format_short_path(path, home, width - len(word) - 4), "strong")], [(word, "muted")], width - 2
                ),
            )
        )
        if applied.backup is not None:
            result += write_paragraph(f"backup: {applied.backup.name}", width, "muted", "  ", 2)
        for note in applied.notes:
            result += write_paragraph(note, width, "notice", "  ")
    if trouble is not None:
        result += [*([make_list_line()] if result else []), *write_trouble(trouble, width, glyphs)]
    for line in more.split("\n") if more else []:
        result += write_paragraph(line, width, "plain", "  ")
    if not result:
        result.append(make_list_line(("Nothing was written", "strong"), (": everything is up to date.", "muted")))
    return result
