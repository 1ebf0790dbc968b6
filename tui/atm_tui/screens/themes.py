"""The list of colour themes; the app shows the one under the cursor at once."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Click
from textual.geometry import Region

from atm_tui import commands
from atm_tui.keys.table import CommandKeys
from atm_tui.screens.choices import describe_choice_keys
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.text import fit_width
from atm_tui.view.present import Glyphs, make_content
from atm_tui.view.themes import THEMES, sort_themes
from atm_tui.widgets.text_box import TextBox

NAME = 21
"""Width in cells of a theme's name."""


class ThemeScreen(DialogScreen[str | None]):
    """Dismissed with the name of the chosen theme, or None, which restores the previous one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.make_choice_bindings("choices_pick"),
        *commands.make_motion_bindings(),
    ]

    def __init__(self, names: list[str], now: str, glyphs: Glyphs, keys: CommandKeys) -> None:
        """`names`: all themes; `now`: the one in use."""
        super().__init__()
        self._names = sort_themes(names)
        self._before = now
        self._at = self._names.index(now)
        self._glyphs = glyphs
        self.openers = keys.list_keys("theme")
        self._box = TextBox("Theme", describe_choice_keys(keys), name="themes", can_focus=False)

    def compose(self) -> ComposeResult:
        """Yields the list."""
        yield self._box

    def on_mount(self) -> None:
        """Shows the list."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._paint()

    def _paint(self) -> None:
        lines = []
        for at, name in enumerate(self._names):
            chosen = at == self._at
            mark = self._glyphs.cursor if chosen else " "
            note = "Textual's" if at >= len(THEMES) else ""
            role = "strong" if chosen else "plain"
            lines.append(
                make_content(
                    (mark, "key"), (" ", "plain"), (fit_width(name, NAME), role), (fit_width(note, 9), "faint")
                )
            )
        self._box.show_lines(lines)

    def _show(self, at: int) -> None:
        self._at = max(0, min(at, len(self._names) - 1))
        self.app.theme = self._names[self._at]
        self._paint()
        self._box.scroll_to_region(Region(0, self._at, 1, 1), animate=False)

    def action_cursor_down(self) -> None:
        """Shows the next theme."""
        self._show(self._at + 1)

    def action_cursor_up(self) -> None:
        """Shows the previous theme."""
        self._show(self._at - 1)

    def action_page_down(self) -> None:
        """Shows the theme that is a screen further down."""
        self._show(self._at + self._box.size.height)

    def action_page_up(self) -> None:
        """Shows the theme that is a screen further up."""
        self._show(self._at - self._box.size.height)

    def action_cursor_first(self) -> None:
        """Shows the first theme."""
        self._show(0)

    def action_cursor_last(self) -> None:
        """Shows the last theme."""
        self._show(len(self._names))

    def action_pick(self) -> None:
        """Chooses the theme that is shown."""
        self.action_take()

    def action_take(self) -> None:
        """Chooses the theme that is shown."""
        self.dismiss(self._names[self._at])

    def action_close(self) -> None:
        """Restores the previous theme."""
        self.action_leave()

    def action_leave(self) -> None:
        """Restores the previous theme."""
        self.app.theme = self._before
        self.dismiss(None)

    def on_click(self, event: Click) -> None:
        """Shows the theme that was clicked; a second click chooses it."""
        line = self._box.find_line(event)
        if line is None or line >= len(self._names):
            return
        if line == self._at:
            self.action_take()
        else:
            self._show(line)
