"""Step 1: which settings files, and what is in them already."""

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from textual.app import ComposeResult

from atm_tui.settings.locations import Scope
from atm_tui.settings.survey import Found
from atm_tui.text import count, fit
from atm_tui.view.present import Glyphs, Part, spread
from atm_tui.widgets.wizard_lines import Lines, Row, row
from atm_tui.widgets.wizard_view import LABEL, Rule, View, flagged, labelled, path_words, short_path, trouble_rows

SCOPES = {
    Scope.USER: "yours, in all projects",
    Scope.PROJECT: "this project's, shared with others",
    Scope.LOCAL: "this project's, yours alone",
}
MOST = 8
"""Files that are shown at once; more of them scroll."""

BACKUPS = "written before each change; b puts one back"


def state(found: Found, glyphs: Glyphs) -> Part:
    """Where a file stands, in two or three words."""
    if found.trouble is not None:
        return f"{glyphs.failed} can't be changed", "error"
    if found.faults:
        return f"{glyphs.warning} needs an update", "needs"
    if found.ours:
        return f"{glyphs.finished} installed", "finished"
    return ("no file yet" if found.data is None else "not installed"), "muted"


def list_rows(width: int, *, found: Sequence[Found], picked: Collection[Path], glyphs: Glyphs, home: str) -> list[Row]:
    """A line for each file: picked or not, its path, where it stands."""
    result = []
    for each in found:
        path, mark = each.target.path, "[x] " if each.target.path in picked else "[ ] "
        words = state(each, glyphs)
        others: list[Part] = (
            [(f"{count(each.others, 'hook')} of others  ", "muted")] if each.others and width > 90 else []
        )
        room = width - len(mark) - len(words[0]) - sum(len(piece) for piece, _ in others) - 2
        name = short_path(path, home, room)
        role = "strong" if path in picked else "plain"
        left: list[Part] = [(mark, "key" if path in picked else "muted"), (name, role)]
        result.append(row(*spread(left, [*others, words], width), key=path))
    return result


def detail_rows(width: int, *, found: Found | None, policy: Sequence[str], glyphs: Glyphs, home: str) -> list[Row]:
    """What is in one file."""
    if found is None:
        return []
    result = [row((SCOPES[found.target.scope], "muted")), row()]
    if found.trouble is not None:
        return [*result, *trouble_rows(found.trouble, width, glyphs), *_kept(found, width)]
    if found.is_disabled:
        words = "disableAllHooks is true here: no hook and no statusLine runs until it is false"
        result += flagged(words, width, (glyphs.warning, "needs"), "needs")
    result += _ours(found, width)
    result += _others(found, width, home)
    if found.line is not None:
        result += labelled("statusLine", found.line, width)
        result.append(row((" " * LABEL + "keeps running; ours listens in", "muted")))
    for line in policy:
        result += labelled("policy", line, width)
    if found.notes:
        result.append(row())
        for note in found.notes:
            result += flagged(note, width, (glyphs.warning, "notice"))
    return [*result, *_kept(found, width)]


def _ours(found: Found, width: int) -> list[Row]:
    if found.faults:
        return [line for fault in found.faults for line in labelled("ours", fault, width, "notice")]
    if found.ours:
        return labelled("ours", f"installed and current, {len(found.ours)} events", width)
    words = (
        "nothing yet"
        if found.data is not None
        else "nothing yet: the file will be made, and removed again with the last of ours"
    )
    return labelled("ours", words, width, "muted")


def _others(found: Found, width: int, home: str) -> list[Row]:
    if not found.hooks:
        return labelled("others", "no hooks of other tools", width, "muted") if found.data is not None else []
    result = labelled("others", f"{count(found.others, 'hook')} of other tools, kept as they are", width)
    for event, commands in found.hooks:
        for at, command in enumerate(commands):
            name = fit("" if at else event, 20)
            result.append(row((f"  {name}", "muted"), (path_words(command, home), "plain")))
    return result


def _kept(found: Found, width: int) -> list[Row]:
    if not found.backups:
        return []
    return [row(), *labelled("backups", f"{len(found.backups)}, {BACKUPS}", width, "muted")]


class FilesView(View):
    """The list of files, and below it what the one under the cursor holds."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "files", MOST)
        self._rule = Rule(glyphs, "what is there")
        self._detail = Lines(glyphs, "files-detail")
        self._found: Sequence[Found] = ()
        self._policy: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        """List, rule, detail."""
        yield self.main
        yield self._rule
        yield self._detail

    def show(self, found: Sequence[Found], picked: Collection[Path], policy: Sequence[str]) -> None:
        """Takes what was found, and which files are picked."""
        self._found, self._policy = found, policy
        write = partial(list_rows, found=found, picked=frozenset(picked), glyphs=self.glyphs, home=self.home)
        self.main.show(write)
        self._show_detail()

    @property
    def chosen(self) -> Found | None:
        """The file under the cursor."""
        return next((each for each in self._found if each.target.path == self.main.cursor), None)

    def on_lines_moved(self, message: Lines.Moved) -> None:
        """Another file is under the cursor."""
        if message.lines is self.main:
            self._show_detail()

    def _show_detail(self) -> None:
        chosen = self.chosen
        self._rule.name_it(path_words(chosen.target.path, self.home) if chosen else "what is there")
        write = partial(detail_rows, found=chosen, policy=self._policy, glyphs=self.glyphs, home=self.home)
        self._detail.show(write, top=True)
