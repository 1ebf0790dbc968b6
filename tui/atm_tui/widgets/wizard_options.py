"""Step 2 of the install wizard: the options, and what the selected one means."""

from functools import partial

from textual.app import ComposeResult

from atm_tui.settings.options import EVENTS, Options
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_options import write_meaning, write_options
from atm_tui.widgets.wizard_lines import WizardLines
from atm_tui.widgets.wizard_page import WIDEST, TitledRule, WizardPage


class OptionsPage(WizardPage):
    """The options, above the meaning of the one under the cursor."""

    def __init__(self, glyphs: Glyphs, home: str) -> None:
        super().__init__(glyphs, home, "options")
        self._rule = TitledRule(glyphs, "details")
        self._about = WizardLines(glyphs, "options-about", widest=WIDEST)
        self._about.can_focus = False
        self._options = Options()

    def compose(self) -> ComposeResult:
        """Yields list, rule and meaning."""
        yield self.main
        yield self._rule
        yield self._about

    def show(self, options: Options) -> None:
        """Sets the options."""
        self._options = options
        self.main.show(partial(write_options, options=options))
        self._show_about()

    def go_to_events(self) -> None:
        """Moves the cursor to the first event."""
        self.main.move_to(EVENTS[0].name)

    def on_wizard_lines_moved(self, _: WizardLines.Moved) -> None:
        """Shows the meaning of the option under the cursor."""
        self._show_about()

    def _show_about(self) -> None:
        name = str(self.main.cursor)
        self._rule.set_title(name)
        self._about.show(partial(write_meaning, options=self._options, name=name), top=True)
