"""The last line of the install wizard: its keys."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.content import Content
from textual.events import Resize

from atm_tui.keys.table import CommandKeys
from atm_tui.view import present
from atm_tui.view.command import format_key
from atm_tui.view.present import Glyphs
from atm_tui.view.wizard_keys import Able
from atm_tui.widgets.button_row import Button, ButtonRow, join_buttons


class WizardFooter(ButtonRow):
    """Shows the keys that work now or, for a while, a message."""

    FINISHES: ClassVar[Mapping[str, frozenset[str]]] = {"apply": frozenset({"forward", "uninstall"})}

    def __init__(self, glyphs: Glyphs, keys: CommandKeys) -> None:
        super().__init__(id="wizard-foot")
        self._glyphs = glyphs
        self._keys = keys
        self._able: Sequence[Able] = ()
        self._word = ""

    def show(self, able: Sequence[Able], word: str = "") -> None:
        """Sets the keys that work now, and a message to show instead."""
        if (able, word) != (self._able, self._word):
            self._able, self._word = able, word
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def explain_ignored(self) -> None:
        """Shows why a click was ignored, until the next key."""
        self.show(self._able, "another button was here: press the key")

    def _paint(self) -> None:
        width = self.content_size.width
        if width < 1:
            return
        word = present.make_content(*present.fit_parts([(self._word, "needs")], width))
        self.update(word if self._word else self._write_keys(width), layout=False)

    def _write_keys(self, width: int) -> Content:
        """Returns as many keys as fit, shortened if needed; the first and the last one are left out last."""
        line = join_buttons(self._make_buttons(self._able), width)
        able = [(action, title.split(",")[0]) for action, title in self._able]
        while line.cell_length > width and len(able) > 1:
            line = join_buttons(self._make_buttons(able), width)
            able.pop(-2)
        return line

    def _make_buttons(self, able: Sequence[Able]) -> list[Button]:
        commands = [(action, self._keys.find(f"wizard_{action}"), title) for action, title in able]
        return [
            Button(
                format_key(command.keys[0], ascii_only=self._glyphs.ascii),
                title or command.title,
                action,
                action == "apply",
            )
            for action, command, title in commands
            if command.keys
        ]
