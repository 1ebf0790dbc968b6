"""The help screen: first what is done most and what works where it was opened; then filter, signs, and all other keys."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen

from atm_tui import commands
from atm_tui.commands import FIRST, GROUPS
from atm_tui.screens.active_bindings import find_selection, list_active_commands
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.screens.motion_keys import make_scroll_bindings
from atm_tui.text import fit_width, wrap_text
from atm_tui.view.command import Command, Selection, format_key, format_keys
from atm_tui.view.filter_terms import KEYS, TERMS
from atm_tui.view.present import Glyphs, Part, fit_parts, make_content
from atm_tui.view.signs import list_signs
from atm_tui.widgets.text_box import TextBox

FRAME = 8
"""Cells of border, padding, scrollbar of the box, and a blank before that."""
COLUMN = 16
"""Largest width in cells of keys, signs and terms, with the blanks behind them."""
LEAST = {2: 44, 3: 56}
"""Least width in cells of a column of sections, by their number."""
GAP = 3
"""Cells between such columns."""
MOST_USED = (
    *("allow", "deny", "always", "arm", "jump", "peek", "next_waiting", "needs_me", "filter", "palette", "help"),
    "quit",
)
"""What is done most, in this order, wherever the help is opened from a list of sessions."""
PLACES = {"Tree": "In the tree", "Board": "On the board", "Timeline": "In the timeline", "History": "In the history"}
"""Heading of the keys that move the cursor, by the title of the focused widget."""
Section = list[list[Part]]
"""Lines that stay together: a title, and what is below it."""


class HelpScreen(DialogScreen[None]):
    """Closes with its own keys, and with those that opened it."""

    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_bindings("text"), *make_scroll_bindings()]

    def __init__(
        self, here: AbstractSet[str], selection: Selection, place: str, glyphs: Glyphs, every: Sequence[Command]
    ) -> None:
        """`here`: ids of the commands whose keys work on the screen below; `place`: title of the focused widget there.

        `every`: all commands with their current keys, also those of the configuration.
        """
        super().__init__()
        self._commands = every
        self._here = here
        self._selection = selection
        self._place = place
        self._glyphs = glyphs
        labels = [self._write_labels(each) for each in every]
        self._keys_width = min(COLUMN, max(map(cell_len, labels), default=0) + 2)
        closes = next(format_key(each.keys[0], ascii_only=True) for each in every if each.id == "text_close")
        self.openers = [key for each in every if each.id == "help" for key in each.keys]
        self.scrolled = self._box = TextBox("Help", f"{closes} closes", name="help")

    def compose(self) -> ComposeResult:
        """Yields the box."""
        yield self._box

    def on_mount(self) -> None:
        """Focuses the text, so that arrow keys scroll."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._box.focus()

    def on_resize(self, event: Resize) -> None:
        """Lays out the sections for the new width."""
        self._box.show_lines(self._write_lines(event.size.width - FRAME))

    @classmethod
    def describe(cls, screen: Screen[Any], glyphs: Glyphs, every: Sequence[Command]) -> "HelpScreen":
        """Makes the help for a screen with its current focus and selection."""
        place = str(screen.focused.BINDING_GROUP_TITLE or "") if screen.focused else ""
        return cls(set(list_active_commands(screen)), find_selection(screen), place, glyphs, every)

    def _write_lines(self, width: int) -> list[Content]:
        """Writes the sections side by side, as many as fit."""
        count = max((each for each, least in LEAST.items() if each * (least + GAP) - GAP <= width), default=1)
        column = (width + GAP) // count - GAP
        columns = _divide(self._write_sections(column), count)
        rows = zip_longest(*columns, fillvalue=[])
        return [make_content(*_join(row, column)) for row in rows]

    def _write_sections(self, width: int) -> list[Section]:
        works = {each.group for each in self._commands if each.id in self._here}
        first, *others = sorted(FIRST, key=lambda group: group not in works)
        by_id = {each.id: each for each in self._commands}
        most = self._write_keys("What you do most", [by_id[each] for each in MOST_USED if each in by_id], width)
        start = [self._write_group(first, width)]
        start.insert(first != "tree", most)  # elsewhere other keys come first
        rest = [
            self._write_filter(width),
            self._write_signs(width),
            *(self._write_group(each, width) for each in others),
        ]
        return [each for each in (*start, *rest) if each]

    def _write_group(self, group: str, width: int) -> Section:
        title = PLACES.get(self._place) if group == "tree" else None
        members = [each for each in self._commands if each.group == group and each.id not in MOST_USED]
        return self._write_keys(title or GROUPS[group][1], members, width)

    def _write_keys(self, title: str, members: Sequence[Command], width: int) -> Section:
        """Writes the keys of commands; one that does not work here is faint, a disabled one is followed by the reason."""
        if not members:
            return []
        lines: Section = [[(title, "title")]]
        reasons = [each.disabled(self._selection) if each.id in self._here else None for each in members]
        for each, why, next_why in zip(members, reasons, [*reasons[1:], None], strict=True):
            works = each.id in self._here
            role = "key" if works and not why else "faint"
            lines += _write_entry((self._write_labels(each), role), each.help, width, self._keys_width)
            if why and why != next_why:  # once for several
                lines += _write_entry(("", "faint"), why, width, self._keys_width, "faint")
        return lines

    def _write_labels(self, command: Command) -> str:
        return "  ".join(format_keys(command, ascii_only=self._glyphs.ascii))

    def _write_signs(self, width: int) -> Section:
        lines: Section = [[("Signs", "title")]]
        for sign, role, text in list_signs(self._glyphs):
            lines += _write_entry((sign, role), text, width, self._keys_width)
        return lines

    def _write_filter(self, width: int) -> Section:
        """Writes the keys in the filter line, and its terms."""
        lines: Section = [[("The filter finds sessions", "title")]]
        for term, text in TERMS:
            lines += _write_entry((term, "strong"), text, width, COLUMN)
        for key, text in KEYS:
            lines += _write_entry((key, "key"), text, width, COLUMN)
        return lines


def _divide(sections: Sequence[Section], count: int) -> list[list[list[Part]]]:
    """Divides sections among columns of about the same height; there is an empty line between two of them."""
    columns: list[list[list[Part]]] = [[]]
    left = sum(len(each) + 1 for each in sections)
    for section in sections:
        here, to_fill = columns[-1], count - len(columns)
        share = (len(here) + left) / (to_fill + 1)
        if here and to_fill and len(here) + len(section) / 2 > share:
            columns.append([])
        columns[-1].extend([[], *section] if columns[-1] else section)
        left -= len(section) + 1
    return columns


def _join(row: Sequence[list[Part]], width: int) -> list[Part]:
    """Writes the lines of all columns in one."""
    *padded, last = row
    return [part for line in padded for part in [*fit_parts(line, width), (" " * GAP, "plain")]] + last


def _write_entry(head: Part, text: str, width: int, column: int, role: str = "plain") -> Section:
    """Writes a key or sign in a column of its own, and its meaning beside it, wrapped."""
    first, *more = wrap_text(text, max(1, width - column - 2), 9) or [""]
    lines: Section = [[("  ", "plain"), (fit_width(head[0], column), head[1]), (first, role)]]
    return lines + [[(" " * (column + 2) + each, role)] for each in more]
