"""The help screen: all keys from their declarations, and what the signs of the tree mean."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Static

from atm_tui.commands import COMMANDS, key_labels
from atm_tui.present import Glyphs, Part, content, fit, wrap

WIDTH = 80
"""The widest that the box gets, in cells; as in the style sheet."""
FRAME = 7
"""Border, padding and scrollbar of the box."""
COLUMN = 16
"""Cells for keys and signs."""
GROUPS = (
    ("tree", "In the tree"),
    ("pane", "In a pane"),
    ("request", "In a request"),
    ("main", "On a session"),
    ("tend", "To tend the list"),
    ("replay", "In a replay"),
    ("empty", "While there are no sessions"),
    ("usage", "On the usage screen"),
    ("app", "Everywhere"),
)


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
        self._box = VerticalScroll(id="help")
        self._text = Static()

    def compose(self) -> ComposeResult:
        """One scrolling text."""
        with self._box:
            yield self._text

    def on_mount(self) -> None:
        """Gives the text the focus, so that arrows scroll it."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._box.border_title = "Help"
        self._box.border_subtitle = "Esc closes"
        self._box.focus()

    def on_resize(self, event: Resize) -> None:
        """Breaks the lines for the new width."""
        width = min(event.size.width, WIDTH) - FRAME
        self._text.update(Content("\n").join([*self._signs(width), content(), *self._keys(width)]))

    async def action_dismiss(self, result: None = None) -> None:
        """Closes the screen."""
        self.dismiss(result)

    def action_scroll(self, direction: str) -> None:
        """Up or down by a line."""
        (self._box.scroll_down if direction == "down" else self._box.scroll_up)(animate=False)

    def _keys(self, width: int) -> list[Content]:
        lines: list[Content] = []
        for group, title in GROUPS:
            lines.append(content((title, "title")))
            for each in COMMANDS:
                if each.group == group:
                    keys = "  ".join(key_labels(each, ascii_only=self._glyphs.ascii))
                    lines += _entry((keys, "key"), each.help, width)
            lines.append(content())
        return lines[:-1]

    def _signs(self, width: int) -> list[Content]:
        glyphs = self._glyphs
        signs = [
            (glyphs.needs, "needs", "needs you: permission, question, plan"),
            (glyphs.failed, "error", "needs you: its turn failed"),
            (glyphs.armed, "armed", "can be answered from here; in the header: answers are taken here"),
            (glyphs.working, "working", "working"),
            (glyphs.finished, "finished", "finished since you last looked"),
            (glyphs.idle, "muted", "idle"),
            (glyphs.lost, "faint", "lost: its process is gone"),
            (glyphs.ended, "faint", "ended"),
        ]
        lines = [content(("Signs", "title"))]
        for glyph, role, text in signs:
            lines += _entry((glyph, role), text, width)
        return lines


def _entry(head: Part, text: str, width: int) -> list[Content]:
    """A key or sign, and what it means beside it, in as many lines as that takes."""
    first, *more = wrap(text, width - COLUMN - 2, 9)
    lines = [content(("  ", "plain"), (fit(head[0], COLUMN), head[1]), (first, "plain"))]
    return lines + [content((" " * (COLUMN + 2) + each, "plain")) for each in more]
