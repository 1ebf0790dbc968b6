"""Step 1 of the install wizard: which settings files to change."""

from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path

from textual.app import ComposeResult

from atm_tui.settings.survey import Found
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_files import write_file, write_files
from atm_tui.view.wizard_text import format_path
from atm_tui.widgets.wizard_lines import WizardLines
from atm_tui.widgets.wizard_page import WIDEST, TitledRule, WizardPage

MOST = 8
"""Most files that are shown at once; more scroll."""


class FilesPage(WizardPage):
    """The list of files, above what the one under the cursor contains."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "files", MOST)
        self._rule = TitledRule(glyphs, "contents")
        self._detail = WizardLines(glyphs, "files-detail", widest=WIDEST)
        self._found: Sequence[Found] = ()
        self._policy: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        """Yields list, rule and details."""
        yield self.main
        yield self._rule
        yield self._detail

    def show(self, found: Sequence[Found], picked: Collection[Path], policy: Sequence[str]) -> None:
        """Sets the files, and which of them are picked."""
        self._found, self._policy = found, policy
        write = partial(write_files, found=found, picked=frozenset(picked), glyphs=self.glyphs, home=self.home)
        self.main.show(write)
        self._show_detail()

    @property
    def chosen(self) -> Found | None:
        """The file under the cursor."""
        return next((each for each in self._found if each.target.path == self.main.cursor), None)

    def on_wizard_lines_moved(self, message: WizardLines.Moved) -> None:
        """Shows the details of the file under the cursor."""
        if message.lines is self.main:
            self._show_detail()

    def _show_detail(self) -> None:
        chosen = self.chosen
        self._rule.set_title(format_path(chosen.target.path, self.home) if chosen else "contents")
        write = partial(write_file, found=chosen, policy=self._policy, glyphs=self.glyphs, home=self.home)
        self._detail.show(write, top=True)
