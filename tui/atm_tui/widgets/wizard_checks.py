"""What the doctor found, as lines: grouped by file, what is wrong first to see, each with what to do and measured times."""

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult

from atm_tui.settings.apply import Applied
from atm_tui.settings.check import Check, Level
from atm_tui.settings.survey import Trouble
from atm_tui.text import clean, count, fit, wrap
from atm_tui.view.present import Glyphs, Part, spread
from atm_tui.widgets.wizard_lines import Lines, Row, row
from atm_tui.widgets.wizard_view import Rule, View, paragraph, path_words, short_path, trouble_rows

NAME = 11
"""Cells for a check's name."""
MOST = 12
"""Lines about the files; more of them scroll."""


def check_rows(width: int, *, checks: Sequence[Check], running: bool, glyphs: Glyphs, home: str) -> list[Row]:
    """A line for each check, its advice below it; a heading where another file begins."""
    signs: dict[Level, Part] = {
        Level.OK: (f"{glyphs.finished} ", "finished"),
        Level.WARNING: (f"{glyphs.warning} ", "needs"),
        Level.BROKEN: (f"{glyphs.failed} ", "error"),
    }
    result: list[Row] = []
    where = None
    for check in checks:
        if check.where != where:
            result += [*([row()] if result else []), row((short_path(check.where, home, width), "muted"))]
            where = check.where
        ms = f"{check.ms:.0f} ms" if check.ms is not None else ""
        words = clean(check.text.removesuffix(f", {ms}")) if ms else clean(check.text)
        first, *others = wrap(words, width - 2 - NAME - len(ms), 4) or [""]
        role = {Level.OK: "plain", Level.WARNING: "notice", Level.BROKEN: "error"}[check.level]
        left: list[Part] = [signs[check.level], (fit(check.name, NAME), "muted"), (first, role)]
        result.append(row(*spread(left, [(ms, "strong")], width)))
        pad = " " * (NAME + 2)
        result += [row((pad + each, role)) for each in others]
        if check.advice:
            result += paragraph(path_words(check.advice, home), width, "muted", pad)
    if running:
        result += [*([row()] if result else []), row((f"{glyphs.working} checking", "working"))]
    return result


def verdict(checks: Sequence[Check], glyphs: Glyphs) -> Part:
    """All checks in one word or two."""
    broken = sum(check.level is Level.BROKEN for check in checks)
    warned = sum(check.level is Level.WARNING for check in checks)
    if broken:
        return f"{glyphs.failed} {broken} broken", "error"
    if warned:
        return f"{glyphs.warning} {count(warned, 'warning')}", "needs"
    return f"{glyphs.finished} all well", "finished"


def applied_rows(
    width: int, *, done: Sequence[Applied], verb: str, trouble: Trouble | None, more: str, glyphs: Glyphs, home: str
) -> list[Row]:
    """What was written, and where the text from before is; or why nothing was."""
    result: list[Row] = []
    for applied in done:
        path = applied.plan.path
        word = "removed" if applied.plan.after is None else verb
        sign: Part = (f"{glyphs.finished} ", "finished")
        result.append(
            row(
                sign, *spread([(short_path(path, home, width - len(word) - 4), "strong")], [(word, "muted")], width - 2)
            )
        )
        if applied.backup is not None:
            result += paragraph(f"the text from before: {applied.backup.name}", width, "muted", "  ", 2)
        for note in applied.notes:
            result += paragraph(note, width, "notice", "  ")
    if trouble is not None:
        result += [*([row()] if result else []), *trouble_rows(trouble, width, glyphs)]
    for line in more.split("\n") if more else []:
        result += paragraph(line, width, "plain", "  ")
    if not result:
        result.append(row(("Nothing was written", "strong"), (": all was as it should be.", "muted")))
    return result


class ChecksView(View):
    """Every check, as `atm-tui doctor` makes them."""

    def __init__(self, glyphs: Glyphs, home: str, id: str = "doctor") -> None:  # noqa: A002 (textual's name)
        super().__init__(glyphs, home, id)

    def compose(self) -> ComposeResult:
        """One list."""
        yield self.main

    def show_checks(self, checks: Sequence[Check], *, running: bool) -> None:
        """Takes what was found so far."""
        write = partial(check_rows, checks=tuple(checks), running=running, glyphs=self.glyphs, home=self.home)
        self.main.show(write, top=not checks)


class DoneView(ChecksView):
    """Step 4: what was written, and below it whether it works."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "done")
        self._rule = Rule(glyphs, "checked")
        self._done = Lines(glyphs, "done-files", MOST)

    def compose(self) -> ComposeResult:
        """Files, rule, checks."""
        yield self._done
        yield self._rule
        yield self.main

    def show_no_checks(self) -> None:
        """There is nothing to be checked."""
        self._rule.display = self.main.display = False

    def show_checks(self, checks: Sequence[Check], *, running: bool) -> None:
        """Takes what was found so far."""
        self._rule.display = self.main.display = True
        self._rule.name_it("checking" if running else "checked")
        super().show_checks(checks, running=running)

    def show_done(
        self, done: Sequence[Applied], verb: str = "written and checked", trouble: Trouble | None = None, more: str = ""
    ) -> None:
        """Takes what was done. more: lines to be added, as they stand."""
        write = partial(
            applied_rows,
            done=tuple(done),
            verb=verb,
            trouble=trouble,
            more=more,
            glyphs=self.glyphs,
            home=self.home,
        )
        self._done.show(write, top=True)
