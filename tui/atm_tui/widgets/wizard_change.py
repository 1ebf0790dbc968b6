"""Step 3: the real diff of every file, what it amounts to, and what stays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual.app import ComposeResult

from atm_tui.settings.editing import ChangeKind
from atm_tui.settings.plan import Plan
from atm_tui.settings.survey import Trouble
from atm_tui.text import count
from atm_tui.view import diff as diff_view
from atm_tui.view.diff import Counts
from atm_tui.view.present import Glyphs
from atm_tui.widgets.wizard_lines import Lines, Row, row
from atm_tui.widgets.wizard_view import Rule, View, flagged, paragraph, path_words, short_path, trouble_rows

MOST = 8
"""Lines of the summary; more of it scrolls."""


@dataclass(frozen=True)
class Preview:
    """Plans with the lines of their diffs. others: hooks of other tools in the files; backup: how the copy will be named.

    notice: what is to be said before anything else.
    """

    diffs: Sequence[tuple[Plan, list[str]]] = ()
    others: int = 0
    backup: str = ""
    notice: str = ""


def diff_rows(width: int, *, preview: Preview, whole: bool, home: str) -> list[Row]:
    """All files' diffs, one below the other, each under its name when there are several."""
    result: list[Row] = []
    for plan, lines in preview.diffs:
        if len(preview.diffs) > 1:
            result += [*([row()] if result else []), row((short_path(plan.path, home, width), "title"))]
        result += diff_view.rows(lines, width, whole=whole)
        if not plan.is_needed:
            result.append(row(("no change", "muted")))
    return result


def summary_rows(width: int, *, preview: Preview, glyphs: Glyphs, home: str) -> list[Row]:
    """What the diffs amount to; where the old text is kept; what becomes of the person's own things."""
    result = flagged(preview.notice, width, (glyphs.warning, "needs"), "needs") if preview.notice else []
    needed = [plan for plan, _ in preview.diffs if plan.is_needed]
    if not needed:
        return [*result, row(("Nothing to change.", "strong"), (" All is as it should be.", "muted"))]
    counts = sum((diff_view.count(lines) for _, lines in preview.diffs), Counts())
    figures = f"{count(counts.added, 'line')} added, {counts.changed} changed, {counts.removed} removed"
    result.append(row((figures, "strong")))
    if any(plan.before is not None for plan in needed):
        result += paragraph(f"A copy is kept: {preview.backup}", width, lines=2)
    kinds = {change.kind for plan in needed for change in plan.changes}
    if preview.others and kinds:
        are = "stays" if preview.others == 1 else "stay"
        result += paragraph(f"{count(preview.others, 'hook')} of other tools {are} as before.", width)
    if ChangeKind.WRAPPED in kinds:
        result += paragraph("Your statusLine keeps running; ours listens in.", width)
    if ChangeKind.RESTORED in kinds:
        result += paragraph("Your statusLine is put back as it was.", width)
    for plan in needed:
        path = path_words(plan.path, home)
        if plan.before is None:
            result += paragraph(f"{path} is made; undo removes it.", width)
        if plan.after is None:
            result += paragraph(f"{path} is removed: we made it, and nothing else is in it.", width)
        for warning in dict.fromkeys(plan.warnings):
            result += flagged(warning, width, (glyphs.warning, "notice"))
    return result


class ChangeView(View):
    """The diff, and below it the summary; or why there is none."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "change")
        self._rule = Rule(glyphs, "in short")
        self._summary = Lines(glyphs, "change-summary", MOST)
        self._preview = Preview()
        self._whole = False

    def compose(self) -> ComposeResult:
        """Diff, rule, summary."""
        yield self.main
        yield self._rule
        yield self._summary

    def show(self, preview: Preview) -> None:
        """Takes what would change."""
        self._preview = preview
        self._summary.show(partial(summary_rows, preview=preview, glyphs=self.glyphs, home=self.home), top=True)
        self._show_diff(top=True)

    def show_trouble(self, trouble: Trouble) -> None:
        """Says why there is nothing to show."""
        self._preview = Preview()
        self.main.show(partial(trouble_rows, trouble, glyphs=self.glyphs), top=True)
        self._summary.show(lambda _: [row(("Nothing was changed.", "strong"))])

    def toggle_details(self) -> None:
        """Breaks long lines, or cuts them."""
        self._whole = not self._whole
        self._show_diff(top=False)

    def _show_diff(self, *, top: bool) -> None:
        self.main.show(partial(diff_rows, preview=self._preview, whole=self._whole, home=self.home), top=top)
