"""The copies of one settings file, newest first; one of them can be put back."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.app import ComposeResult

from atm_tui.settings.backups import SUFFIX, backups
from atm_tui.settings.files_in_use import file_contains_our_entries
from atm_tui.text import count, tokens
from atm_tui.view.present import Glyphs, Part, spread
from atm_tui.widgets.wizard_lines import Row, row
from atm_tui.widgets.wizard_view import View, path_words


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup. size: bytes; has_ours: whether putting it back brings our hooks back."""

    path: Path
    size: int
    has_ours: bool


def copies(path: Path) -> list[Copy]:
    """The backups of a settings file. Reads them: not for the event loop."""
    return [
        Copy(each, each.stat().st_size, file_contains_our_entries(each)) for each in backups(path) if each.is_file()
    ]


def when(copy: Copy) -> str:
    """Date and time from its name."""
    match = SUFFIX.search(copy.path.name)
    stamp = match[0].removeprefix(".").split(".")[0] if match else copy.path.name
    day, _, time = stamp.partition("T")
    return f"{day}  {time.replace('-', ':')}"


def rows(width: int, *, path: Path, found: Sequence[Copy], home: str) -> list[Row]:
    """A line for each copy: when, how large, with our hooks or without."""
    result = [
        row((f"{count(len(found), 'copy').replace('copys', 'copies')} of {path_words(path, home)}", "muted")),
        row(),
    ]
    for each in found:
        aside: list[Part] = [("with our hooks" if each.has_ours else "without ours", "muted")]
        figure = tokens(each.size)
        size = (f"{figure} B" if figure.isdigit() else f"{figure[:-1]} {figure[-1]}B").rjust(9)
        result.append(row(*spread([(when(each), "plain"), (size, "faint")], aside, width), key=each.path))
    if not found:
        result.append(row(("None yet: the first is made before the first change.", "muted")))
    return result


class BackupsView(View):
    """The list of copies."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "backups")

    def compose(self) -> ComposeResult:
        """One list."""
        yield self.main

    def show(self, path: Path, found: Sequence[Copy]) -> None:
        """Takes the copies of a file."""
        self.main.show(partial(rows, path=path, found=tuple(found), home=self.home), top=True)

    @property
    def chosen(self) -> Path | None:
        """The copy under the cursor."""
        return self.main.cursor if isinstance(self.main.cursor, Path) else None
