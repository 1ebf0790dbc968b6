"""Step 4 of the install wizard: what was written and whether it works; and the page of all checks."""

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult

from atm_tui.settings.apply import Applied
from atm_tui.settings.check import Check
from atm_tui.settings.survey import Trouble
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_checks import write_applied, write_checks
from atm_tui.widgets.wizard_lines import WizardLines
from atm_tui.widgets.wizard_page import WIDEST, TitledRule, WizardPage

MOST = 12
"""Most lines about the files; more scroll."""


class ChecksPage(WizardPage):
    """All checks of `atm-tui doctor`."""

    def __init__(self, glyphs: Glyphs, home: str, id: str = "doctor") -> None:  # noqa: A002 (textual's name)
        super().__init__(glyphs, home, id)

    def compose(self) -> ComposeResult:
        """Yields the list."""
        yield self.main

    def show_checks(self, checks: Sequence[Check], *, running: bool) -> None:
        """Shows the checks that have run so far."""
        write = partial(write_checks, checks=tuple(checks), running=running, glyphs=self.glyphs, home=self.home)
        self.main.show(write, top=not checks)


class DonePage(ChecksPage):
    """Step 4: what was written, above the checks whether it works."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "done")
        self._rule = TitledRule(glyphs, "checked")
        self._done = WizardLines(glyphs, "done-files", MOST, WIDEST)

    def compose(self) -> ComposeResult:
        """Yields files, rule and checks."""
        yield self._done
        yield self._rule
        yield self.main

    def show_no_checks(self) -> None:
        """Hides the checks: there are none to run."""
        self._rule.display = self.main.display = False

    def show_checks(self, checks: Sequence[Check], *, running: bool) -> None:
        """Shows the checks that have run so far."""
        self._rule.display = self.main.display = True
        self._rule.set_title("checking" if running else "checked")
        super().show_checks(checks, running=running)

    def show_done(
        self,
        done: Sequence[Applied],
        verb: str = "written and verified",
        trouble: Trouble | None = None,
        more: str = "",
    ) -> None:
        """Shows what was done. `more`: further lines."""
        write = partial(
            write_applied,
            done=tuple(done),
            verb=verb,
            trouble=trouble,
            more=more,
            glyphs=self.glyphs,
            home=self.home,
        )
        self._done.show(write, top=True)
