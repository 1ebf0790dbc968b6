"""The last line of the install wizard: its keys."""

from collections.abc import Sequence

from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.widgets import Static

from atm_tui.view import present
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_keys import Able, find_key


class WizardFooter(Static):
    """Shows the keys that work now or, for a while, a message in their place."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="wizard-foot")
        self._glyphs = glyphs
        self._able: Sequence[Able] = ()
        self._word = ""

    def show(self, able: Sequence[Able], word: str = "") -> None:
        """Takes the keys that work now, and a message to show instead."""
        if (able, word) != (self._able, self._word):
            self._able, self._word = able, word
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        if width < 1:
            return
        word = present.make_content(*present.fit_parts([(self._word, "needs")], width))
        self.update(word if self._word else self._keys(width), layout=False)

    def _keys(self, width: int) -> Content:
        """Returns as many keys as fit, in short words where that helps; the first and the last one are kept longest."""
        gap = Content("   " if width >= 60 else "  ")
        line = gap.join(self._entries(self._able))
        able = [(action, title.split(",")[0]) for action, title in self._able]
        while line.cell_length > width and len(able) > 1:
            line = gap.join(self._entries(able))
            able.pop(-2)
        return line

    def _entries(self, able: Sequence[Able]) -> list[Content]:
        entries = []
        for action, title in able:
            key = find_key(action)
            label = key.label(ascii_only=self._glyphs.ascii)
            text = present.make_content((label, "key"), (f" {title or key.title}", "muted"))
            click = Style.from_meta({"@click": f"screen.{action}"})
            entries.append(text.add_spans([Span(0, len(text), click)]))
        return entries
