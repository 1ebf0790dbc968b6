"""The footer of the request dialog: what is to be known before a key is pressed, and the keys that work now."""

from rich.cells import cell_len
from textual.content import Content, Span
from textual.events import Resize
from textual.style import Style
from textual.widgets import Static

from atm_tui.view import present
from atm_tui.view.command import key_label
from atm_tui.view.present import Part
from atm_tui.view.request_footer import Key


class RequestFooter(Static):
    """Two lines, the second of which shows as many keys as fit; the last one, which closes, stays longest."""

    ALLOW_SELECT = False
    auto_links = False

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__(id="request-foot")
        self._ascii = ascii_only
        self._notice: Part = ("", "plain")
        self._keys: tuple[Key, ...] = ()
        self._shown: Content | None = None

    def show(self, notice: Part, keys: tuple[Key, ...]) -> None:
        """Takes the line above the keys, and the keys."""
        self._notice, self._keys = notice, keys
        self._paint()

    def on_resize(self, _: Resize) -> None:
        """Shows as many keys as fit."""
        self._paint()

    def _paint(self) -> None:
        width = self.content_size.width
        if width < 1:
            return
        text, role = self._notice
        shown = Content("\n").join((present.make_content(*present.fit_parts([(text, role)], width)), self._line(width)))
        if self._shown is None or not shown.is_same(self._shown):
            self._shown = shown
            self.update(shown, layout=False)

    def _line(self, width: int) -> Content:
        gap = "   " if width >= 60 else "  "
        entries = []
        for each in self._keys:
            label = key_label(each.name, ascii_only=self._ascii)
            text = present.make_content((label, "key"), (f" {each.title}", "muted"))
            if each.action:
                text = text.add_spans([Span(0, len(text), Style.from_meta({"@click": f"screen.{each.action}"}))])
            entries.append(text)
        while len(entries) > 1 and sum(each.cell_length + cell_len(gap) for each in entries) - len(gap) > width:
            entries.pop(-2)
        return Content(gap).join(entries)
