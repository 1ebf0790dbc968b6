"""A page of the install wizard, and the titled rule between its parts."""

from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from atm_tui.text import cut_width
from atm_tui.view import present
from atm_tui.view.present import Glyphs, make_content
from atm_tui.widgets.wizard_lines import WizardLines

WIDEST = 118
"""Largest width in cells of lists and texts: what stands at both ends of a line still belongs together."""


class WizardPage(Vertical):
    """One page of the wizard. `main` gets the focus when the page is shown."""

    def __init__(
        self,
        glyphs: Glyphs,
        home: str,
        id: str,  # noqa: A002 (textual's name)
        most: int | None = None,
        widest: int | None = WIDEST,
    ) -> None:
        """`most`, `widest`: largest height and width of `main`, as WizardLines has them."""
        super().__init__(id=id)
        self.glyphs = glyphs
        self.home = home
        self.main = WizardLines(glyphs, f"{id}-main", most, widest)


class TitledRule(Static):
    """A rule with a title, as above the panes of the main screen."""

    ALLOW_SELECT = False

    def __init__(self, glyphs: Glyphs, title: str) -> None:
        super().__init__(classes="wizard-rule")
        self._glyphs = glyphs
        self._title = title

    def set_title(self, title: str) -> None:
        """Changes the title."""
        if title != self._title:
            self._title = title
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Writes the rule for the new width."""
        self._paint()

    def _paint(self) -> None:
        width, sign = self.size.width, self._glyphs.rule
        title = cut_width(self._title, width - 6)
        if width < 8:
            return
        rest = sign * (width - present.make_content((title, "title")).cell_length - 3)
        self.update(make_content((f"{sign} ", "rule"), (title, "title"), (f" {rest}", "rule")), layout=False)
