"""The help screen: all keys, first those that work where it was opened, and the meaning of the signs."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize

from atm_tui.commands import COMMANDS, FIRST, GROUPS
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.text import fit_width, wrap_text
from atm_tui.view.command import Command, Selection, format_keys
from atm_tui.view.present import Glyphs, Part, make_content
from atm_tui.view.signs import list_signs
from atm_tui.widgets.text_box import TextBox

WIDTH = 80
"""Largest width of the box in cells; the same as in the style sheet."""
FRAME = 7
"""Cells of border, padding and scrollbar of the box."""
COLUMN = 16
"""Width in cells of keys and signs."""
PLACES = {"Tree": "In the tree", "Board": "On the board", "Timeline": "In the timeline", "History": "In the history"}
"""Heading of the keys that move the cursor, by the title of the focused widget."""


class HelpScreen(DialogScreen[None]):
    """Closes with Escape, Enter, q and the key that opened it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss", "close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(
        self, here: AbstractSet[str], selection: Selection, place: str, glyphs: Glyphs, custom: Sequence[Command] = ()
    ) -> None:
        """`here`: ids of the commands whose keys work on the screen below; `place`: title of the focused widget there.

        `custom`: the commands of the configuration.
        """
        super().__init__()
        self._commands = (*COMMANDS, *custom)
        self._here = here
        self._selection = selection
        self._place = place
        self._glyphs = glyphs
        self._box = TextBox("Help", "Esc closes", name="help")

    def compose(self) -> ComposeResult:
        """Yields the box."""
        yield self._box

    def on_mount(self) -> None:
        """Focuses the text, so that arrow keys scroll."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._box.focus()

    def on_resize(self, event: Resize) -> None:
        """Wraps the lines for the new width."""
        width = min(event.size.width, WIDTH) - FRAME
        self._box.show_lines(self._write_lines(width))

    async def action_dismiss(self, result: None = None) -> None:
        """Closes the screen."""
        self.dismiss(result)

    def action_scroll(self, lines: int) -> None:
        """Scrolls down by a number of lines."""
        self._box.scroll_lines(lines)

    def _write_lines(self, width: int) -> list[Content]:
        works = {each.group for each in self._commands if each.id in self._here}
        first, *others = sorted(FIRST, key=lambda group: group not in works)
        lines = [*self._write_keys(first, width), *self._write_signs(width)]
        for group in others:
            lines += self._write_keys(group, width)
        return lines[:-1]

    def _write_keys(self, group: str, width: int) -> list[Content]:
        """Writes the keys of a group; one that does not work here is faint, a disabled one is followed by the reason."""
        title = PLACES.get(self._place) if group == "tree" else None
        members = [each for each in self._commands if each.group == group]
        if not members:
            return []
        lines = [make_content((title or GROUPS[group][1], "title"))]
        for each in members:
            works = each.id in self._here
            why = each.disabled(self._selection) if works else None
            keys = "  ".join(format_keys(each, ascii_only=self._glyphs.ascii))
            lines += _write_entry((keys, "key" if works and not why else "faint"), each.help, width)
            if why:
                lines += _write_entry(("", "faint"), why, width, "faint")
        return [*lines, make_content()]

    def _write_signs(self, width: int) -> list[Content]:
        lines = [make_content(("Signs", "title"))]
        for sign, role, text in list_signs(self._glyphs):
            lines += _write_entry((sign, role), text, width)
        return [*lines, make_content()]


def _write_entry(head: Part, text: str, width: int, role: str = "plain") -> list[Content]:
    """Writes a key or sign with its meaning beside it, wrapped."""
    first, *more = wrap_text(text, max(1, width - COLUMN - 2), 9) or [""]
    lines = [make_content(("  ", "plain"), (fit_width(head[0], COLUMN), head[1]), (first, role))]
    return lines + [make_content((" " * (COLUMN + 2) + each, role)) for each in more]
