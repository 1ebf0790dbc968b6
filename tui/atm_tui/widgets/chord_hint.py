"""The line that says how a chord can go on, in front of a screen that has no footer for it."""

from collections.abc import Sequence
from typing import Any

from textual.screen import Screen
from textual.widgets import Static

from atm_tui.view.present import Part, fit_parts, make_content
from atm_tui.widgets.footer import Footer


class ChordHint(Static):
    """Covers the last line of a screen; moves nothing."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__(id="chord-hint")
        self._parts = parts

    def on_mount(self) -> None:
        """Writes the keys that can follow, as many as fit."""
        self.update(make_content(*fit_parts([(" ", "plain"), *self._parts], self.app.size.width)))


def show_chord_hint(screen: Screen[Any], parts: Sequence[Part]) -> None:
    """Shows how a chord can go on, in the footer of the app if there is one; nothing: it is over."""
    for footer in screen.query(Footer):
        footer.show_chord(parts)
        return
    for hint in screen.query(ChordHint):
        hint.remove()
    if parts:
        screen.mount(ChordHint(parts))
