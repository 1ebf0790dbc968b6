"""The page of the install wizard that lists the backups of a settings file, to restore one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from textual.app import ComposeResult

from atm_tui.settings.backup_copies import BackupCopy
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_backups import write_backups
from atm_tui.widgets.wizard_page import WizardPage


class BackupsPage(WizardPage):
    """The list of backups."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "backups")

    def compose(self) -> ComposeResult:
        """Yields the list."""
        yield self.main

    def show(self, path: Path, found: Sequence[BackupCopy]) -> None:
        """Sets the backups of a file."""
        self.main.show(partial(write_backups, path=path, found=tuple(found), home=self.home), top=True)

    @property
    def chosen(self) -> Path | None:
        """The backup under the cursor."""
        return self.main.cursor if isinstance(self.main.cursor, Path) else None
