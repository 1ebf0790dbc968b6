"""Writes the checks of `atm-tui doctor` as lines of text."""

from collections.abc import Iterable

from atm_tui.settings.check import Check, Level

_LEVELS = {Level.OK: "ok", Level.WARNING: "warning", Level.BROKEN: "BROKEN"}


def format_checks(checks: Iterable[Check]) -> list[str]:
    """Returns each check with its advice, under a heading for each place that was checked."""
    lines: list[str] = []
    where = None
    for check in checks:
        if check.where != where:
            lines.append(check.where)
            where = check.where
        lines.append(f"  {_LEVELS[check.level]:<8}{check.name}: {check.text}")
        if check.advice:
            lines.append(f"          {check.advice}")
    return lines
