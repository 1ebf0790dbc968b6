"""Writes the notices screen: all notices of the header and all findings of the doctor, wrapped and never cut."""

from collections.abc import Sequence

from atm_tui.settings.check import Check, Level
from atm_tui.text import clean, format_count, wrap_text
from atm_tui.view.present import Glyphs, Part
from atm_tui.view.wizard_text import format_path

Line = list[Part]

ALL_LINES = 10_000
"""A limit of lines that no notice reaches, so that none is cut."""


def write_notices(notices: Sequence[str], width: int, glyphs: Glyphs) -> list[Line]:
    """Writes the notices of the header under a title."""
    lines: list[Line] = [[("In the header", "title")]]
    if not notices:
        return [*lines, [(f"{glyphs.finished} ", "finished"), ("none", "plain")]]
    for notice in notices:
        lines += _write_entry((glyphs.warning, "notice"), clean(notice), "plain", width)
    return lines


def write_findings(checks: Sequence[Check], running: bool, width: int, glyphs: Glyphs, home: str) -> list[Line]:
    """Writes the problems that `atm-tui doctor` found, with advice. `running`: whether checks are still running."""
    lines: list[Line] = [[("Doctor", "title")]]
    signs = {Level.WARNING: (glyphs.warning, "notice"), Level.BROKEN: (glyphs.failed, "error")}
    found = [check for check in checks if check.level is not Level.OK]
    for check in found:
        place = clean(format_path(check.where, home))
        lines += _write_entry(signs[check.level], f"{check.name}: {clean(check.text)}", "plain", width)
        lines += [[("  ", "plain"), (piece, "faint")] for piece in wrap_text(place, max(1, width - 2), ALL_LINES)]
        advice = clean(format_path(check.advice, home))
        lines += [[("  ", "plain"), (piece, "muted")] for piece in wrap_text(advice, max(1, width - 2), ALL_LINES)]
    if running:
        lines.append([(f"{glyphs.working} checking", "working")])
    elif not found:
        lines.append(
            [(f"{glyphs.finished} ", "finished"), (f"{format_count(len(checks), 'check')}, all fine", "plain")]
        )
    return lines


def _write_entry(sign: Part, text: str, role: str, width: int) -> list[Line]:
    """Writes a sign with a wrapped text beside it."""
    first, *more = wrap_text(text, max(1, width - 2), ALL_LINES) or [""]
    return [[(f"{sign[0]} ", sign[1]), (first, role)], *([("  ", "plain"), (each, role)] for each in more)]
