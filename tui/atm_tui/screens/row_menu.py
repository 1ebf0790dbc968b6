"""The commands of a row as a menu, at the place of a right click."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.geometry import Offset
from textual.widgets import Static

from atm_tui import commands
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.screens.motion_keys import make_move_bindings
from atm_tui.text import clean, fit_width
from atm_tui.view.command import Command, Selection, format_keys
from atm_tui.view.present import Glyphs, make_content

KEYS = 7
"""Least width in cells of the keys."""
OWN = ("choices_take", "choices_leave", "cursor_down", "cursor_up")
"""The commands of the menu itself."""
FRAME = 2
"""Lines and cells of the border, both sides together."""
_GROUP = Selection("closed", empty=False, waiting=1)


def list_row_commands(every: Sequence[Command]) -> list[Command]:
    """Returns the commands that act on one session: those that the row of a group disables. Answers are not among them."""
    groups = ("main", "organize", "custom")
    return [
        each
        for each in every
        if each.group in groups and each.id not in commands.ANSWERS and each.disabled(_GROUP) is not None
    ]


class RowMenu(DialogScreen[str | None]):
    """Dismissed with the id of the chosen command, or None. A command's own key chooses it, too, unless the menu needs it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_choice_bindings(),
        *make_move_bindings(),
    ]

    def __init__(
        self,
        title: str,
        commands: Sequence[Command],
        at: Selection,
        place: Offset,
        glyphs: Glyphs,
        own: Collection[str],
    ) -> None:
        """`at`: what the commands act on; `place`: the cell of the click; `own`: the keys of the menu."""
        super().__init__()
        self._commands = commands
        labels = (format_keys(each, ascii_only=glyphs.ascii) for each in commands)
        self._labels = [next(iter(each), "") for each in labels]
        self._keys_width = max(KEYS, *map(cell_len, self._labels))
        taken = {key.split()[0] for key in own}  # of a chord: its first key
        free = {key: each.id for each in commands for key in each.keys if key.split()[0] not in taken}
        self._by_key = {key: command_id for key, command_id in free.items() if " " not in key}
        # no bindings of single keys: Textual drops those that a command had before it got another key
        chords = [
            Binding(key, f"choose('{command_id}')", show=False, id=f"{command_id}.menu")
            for key, command_id in free.items()
            if key not in self._by_key
        ]
        self._bindings = BindingsMap.merge([self._bindings, BindingsMap(chords)])
        self._able = [each.disabled(at) is None for each in commands]
        self._place = place
        self._glyphs = glyphs
        self._at = next((at for at, able in enumerate(self._able) if able), 0)
        self._first = 0
        """The first command that is shown, where not all have room."""
        self._text = Static(id="row-menu")
        self._text.auto_links = False
        self._title = title

    def compose(self) -> ComposeResult:
        """Yields the list."""
        yield self._text

    def on_mount(self) -> None:
        """Shows the list."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._text.border_title = Content(clean(self._title))

    def on_resize(self, _: Resize) -> None:
        """Places the menu inside the screen."""
        self._paint()
        width, height = min(self._width + FRAME, self.size.width), self._rows + FRAME
        self._text.styles.width = width
        self._text.styles.offset = (
            max(0, min(self._place.x, self.size.width - width)),
            max(0, min(self._place.y, self.size.height - height)),
        )

    @property
    def _width(self) -> int:
        return self._keys_width + 3 + max(cell_len(clean(each.title)) for each in self._commands) + 1

    @property
    def _rows(self) -> int:
        """Number of commands that are shown."""
        return max(1, min(len(self._commands), self.size.height - FRAME))

    def _paint(self) -> None:
        rows = self._rows
        self._first = min(self._at, max(self._first, self._at - rows + 1), len(self._commands) - rows)
        shown = range(self._first, self._first + rows)
        hidden = len(self._commands) - rows
        self._text.border_subtitle = Content(f"+{hidden} more") if hidden else None
        self._text.update(Content("\n").join(self._write(at) for at in shown))

    def _write(self, at: int) -> Content:
        chosen, able = at == self._at, self._able[at]
        return make_content(
            (self._glyphs.cursor if chosen else " ", "key"),
            (fit_width(self._labels[at], self._keys_width), "key" if able else "faint"),
            (f" {clean(self._commands[at].title)}", "faint" if not able else "strong" if chosen else "plain"),
        )

    def action_move(self, step: int) -> None:
        """Moves to the next command that is enabled."""
        count = len(self._commands)
        for distance in range(1, count + 1):
            at = (self._at + step * distance) % count
            if self._able[at]:
                self._at = at
                break
        self._paint()

    def action_take(self) -> None:
        """Chooses the command under the cursor."""
        self.dismiss(self._commands[self._at].id)

    def action_leave(self) -> None:
        """Closes the menu."""
        self.dismiss(None)

    def on_key(self, event: Key) -> None:
        """Chooses the command that has the key."""
        if (chosen := self._by_key.get(event.key)) is not None:
            event.stop()
            self.dismiss(chosen)

    def action_choose(self, command_id: str) -> None:
        """Chooses the command that has the chord."""
        self.dismiss(command_id)

    def on_click(self, event: Click) -> None:
        """Chooses the clicked command; a click beside the menu closes it."""
        offset = event.get_content_offset(self._text) if event.widget is self._text else None
        if offset is not None and offset.y < self._rows:
            self.dismiss(self._commands[self._first + offset.y].id)
        elif event.widget is not self._text:
            self.dismiss(None)
