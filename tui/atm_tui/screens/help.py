"""The help screen: all keys from their declarations, and what the signs of the tree mean."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from atm_tui.commands import COMMANDS, key_label
from atm_tui.present import Glyphs, content, fit

GROUPS = (("tree", "In the tree"), ("main", "On a session"), ("app", "Everywhere"))


class HelpScreen(ModalScreen[None]):
    """Closes with any of the keys that a person might try."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss", "close"),
        Binding("j", "scroll('down')", show=False),
        Binding("k", "scroll('up')", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with VerticalScroll(id="help"):
            yield Static(Content("\n").join([*self._signs(), content(), *self._keys()]))

    def on_mount(self) -> None:
        """Gives the text the focus, so that arrows scroll it."""
        self.set_class(self._glyphs.ascii, "-ascii")
        box = self.query_exactly_one("#help", VerticalScroll)
        box.border_title = "Help"
        box.border_subtitle = "Esc closes"
        box.focus()

    async def action_dismiss(self, result: None = None) -> None:
        """Closes the screen."""
        self.dismiss(result)

    def action_scroll(self, direction: str) -> None:
        """Up or down by a line."""
        box = self.query_exactly_one("#help", VerticalScroll)
        (box.scroll_down if direction == "down" else box.scroll_up)(animate=False)

    def _keys(self) -> list[Content]:
        lines: list[Content] = []
        for group, title in GROUPS:
            lines += [content((title, "title"))]
            for each in COMMANDS:
                if each.group == group:
                    keys = "  ".join(key_label(key, ascii_only=self._glyphs.ascii) for key in each.keys)
                    lines.append(content((fit(f"  {keys}", 14), "key"), (each.help, "plain")))
            lines.append(content())
        return lines[:-1]

    def _signs(self) -> list[Content]:
        glyphs = self._glyphs
        signs = [
            (glyphs.needs, "needs", "needs you: permission, question, plan"),
            (glyphs.failed, "error", "its turn failed"),
            (glyphs.working, "working", "working"),
            (glyphs.finished, "finished", "finished since you last looked"),
            (glyphs.idle, "muted", "idle"),
            (glyphs.lost, "faint", "lost: its process is gone"),
            (glyphs.ended, "faint", "ended"),
        ]
        return [content(("Signs", "title"))] + [
            content((f"  {glyph}", role), (" " * 11, "plain"), (text, "plain")) for glyph, role, text in signs
        ]
