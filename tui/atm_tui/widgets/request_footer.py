"""The footer of the request dialog: a notice, and the keys that work now."""

from collections.abc import Mapping
from typing import ClassVar

from textual.content import Content
from textual.events import Resize

from atm_tui.view import present
from atm_tui.view.command import format_key
from atm_tui.view.present import Part
from atm_tui.view.request_footer import Key
from atm_tui.widgets.button_row import Button, ButtonRow, join_buttons


class RequestFooter(ButtonRow):
    """Two lines: the notice, and as many keys as fit; the last key, which closes, is left out last."""

    FINISHES: ClassVar[Mapping[str, frozenset[str]]] = {
        "sure": frozenset({"allow", "send", "choose('1')"}),
        "choose('1')": frozenset({"always"}),
    }

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="request-foot")
        self._ascii = ascii_only
        self._notice: Part = ("", "plain")
        self._keys: tuple[Key, ...] = ()
        self._shown: Content | None = None

    def show(self, notice: Part, keys: tuple[Key, ...]) -> None:
        """Sets the notice and the keys."""
        self._notice, self._keys = notice, keys
        self._paint()

    def explain_ignored(self) -> None:
        """Shows why a click was ignored, until the next key."""
        self.show(("another button was here: press the key", "notice"), self._keys)

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        if width < 1:
            return
        text, role = self._notice
        shown = Content("\n").join(
            (present.make_content(*present.fit_parts([(text, role)], width)), self._write_keys(width))
        )
        if self._shown is None or not shown.is_same(self._shown):
            self._shown = shown
            self.update(shown, layout=False)

    def _write_keys(self, width: int) -> Content:
        buttons = [
            Button(format_key(each.name, ascii_only=self._ascii), each.title, each.action, each.is_apart)
            for each in self._keys
        ]
        while len(buttons) > 1 and join_buttons(buttons, width).cell_length > width:
            buttons.pop(-2)
        return join_buttons(buttons, width)
