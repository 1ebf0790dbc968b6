"""Step 3 of the install wizard: what will change, and a summary of it; or why nothing can be changed."""

from functools import partial

from textual.app import ComposeResult

from atm_tui.settings.survey import Trouble
from atm_tui.view.list_line import make_list_line
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_change import Preview, write_diffs, write_summary
from atm_tui.view.wizard_text import write_trouble
from atm_tui.widgets.wizard_lines import WizardLines
from atm_tui.widgets.wizard_page import TitledRule, WizardPage

MOST = 8
"""Most lines of the summary; more scroll."""


class ChangePage(WizardPage):
    """The diff above the summary, or why there is none."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "change", widest=None)
        self._rule = TitledRule(glyphs, "summary")
        self._summary = WizardLines(glyphs, "change-summary", MOST)
        self._preview = Preview()
        self.is_whole = False
        """Whether the diff is shown in full."""

    def compose(self) -> ComposeResult:
        """Yields diff, rule and summary."""
        yield self.main
        yield self._rule
        yield self._summary

    def show(self, preview: Preview) -> None:
        """Shows what would change."""
        self._preview = preview
        self._summary.show(partial(write_summary, preview=preview, glyphs=self.glyphs, home=self.home), top=True)
        self._show_diff(top=True)

    def show_trouble(self, trouble: Trouble) -> None:
        """Shows why nothing can be changed."""
        self._preview = Preview()
        self.main.show(partial(write_trouble, trouble, glyphs=self.glyphs), top=True)
        self._summary.show(lambda _: [make_list_line(("Nothing was changed.", "strong"))])

    def toggle_details(self) -> None:
        """Shows the diff in full, or cut and folded."""
        self.is_whole = not self.is_whole
        self._show_diff(top=False)

    def _show_diff(self, *, top: bool) -> None:
        self.main.show(partial(write_diffs, preview=self._preview, whole=self.is_whole, home=self.home), top=top)
