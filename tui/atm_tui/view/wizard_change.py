"""Writes step 3 of the install wizard: the diff of each file, and a summary."""

from collections.abc import Sequence
from dataclasses import dataclass

from atm_tui.settings.editing import ChangeKind
from atm_tui.settings.plan import Plan
from atm_tui.text import format_count
from atm_tui.view.diff import Counts, count_changes, write_diff
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_text import format_path, format_short_path, write_flagged, write_paragraph


@dataclass(frozen=True)
class Preview:
    """Plans with the lines of their diffs. `others`: number of hooks of other tools; `backup`: name of the future copy.

    `notice`: shown above all else; `renewal`: what happens to the copied hook files.
    """

    diffs: Sequence[tuple[Plan, list[str]]] = ()
    others: int = 0
    backup: str = ""
    notice: str = ""
    renewal: str = ""


def write_diffs(width: int, *, preview: Preview, whole: bool, home: str) -> list[ListLine]:
    """Writes all diffs, each under the name of its file when there are several."""
    result: list[ListLine] = []
    for plan, lines in preview.diffs:
        if len(preview.diffs) > 1:
            result += [
                *([make_list_line()] if result else []),
                make_list_line((format_short_path(plan.path, home, width), "title")),
            ]
        result += write_diff(lines, width, whole=whole)
        if not plan.is_needed:
            result.append(make_list_line(("no change", "muted")))
    return result


def write_summary(width: int, *, preview: Preview, glyphs: Glyphs, home: str) -> list[ListLine]:
    """Writes the numbers of changed lines, the name of the backup, and what happens to the user's hooks and statusLine."""
    result = write_flagged(preview.notice, width, (glyphs.warning, "needs"), "needs") if preview.notice else []
    needed = [plan for plan, _ in preview.diffs if plan.is_needed]
    if preview.renewal:
        result += write_paragraph(f"{preview.renewal[0].upper()}{preview.renewal[1:]}.", width)
    if not needed and preview.renewal:
        return [*result, make_list_line(("Your settings stay as they are.", "muted"))]
    if not needed:
        return [*result, make_list_line(("Nothing to change.", "strong"), (" Everything is up to date.", "muted"))]
    counts = sum((count_changes(lines) for _, lines in preview.diffs), Counts())
    figures = f"{format_count(counts.added, 'line')} added, {counts.changed} changed, {counts.removed} removed"
    result.append(make_list_line((figures, "strong")))
    if any(plan.before is not None for plan in needed):
        result += write_paragraph(f"A copy is kept: {preview.backup}", width, lines=2)
    kinds = {change.kind for plan in needed for change in plan.changes}
    if preview.others and kinds:
        are = "stays" if preview.others == 1 else "stay"
        result += write_paragraph(f"{format_count(preview.others, 'hook')} of other tools {are} as before.", width)
    if ChangeKind.WRAPPED in kinds:
        result += write_paragraph("Your statusLine keeps running; ours listens in.", width)
    if ChangeKind.RESTORED in kinds:
        result += write_paragraph("Your statusLine is put back as it was.", width)
    for plan in needed:
        path = format_path(plan.path, home)
        if plan.before is None:
            result += write_paragraph(f"{path} is created; undo deletes it.", width)
        if plan.after is None:
            result += write_paragraph(f"{path} is deleted: atm-tui created it, and nothing else is in it.", width)
        for warning in dict.fromkeys(plan.warnings):
            result += write_flagged(warning, width, (glyphs.warning, "notice"))
    return result
