"""A box to choose the value of a key of the configuration from a list: one of them, or several in an order."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize

from atm_tui import commands
from atm_tui.keys.table import CommandKeys
from atm_tui.screens.dialog_screen import DialogScreen
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs
from atm_tui.widgets.wizard_lines import WizardLines

FRAME = 4
"""Lines of border and padding."""


class ChoicesScreen(DialogScreen[tuple[str, ...] | None]):
    """Dismissed with what was chosen, or None."""

    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*commands.make_bindings("choices")]

    def __init__(
        self,
        title: str,
        known: Sequence[str],
        chosen: Sequence[str],
        glyphs: Glyphs,
        keys: CommandKeys,
        *,
        several: bool,
    ) -> None:
        """`several`: whether any number can be chosen, in any order; else the one under the cursor is."""
        super().__init__()
        self._chosen = list(chosen)
        self._order = [*chosen, *(each for each in known if each not in chosen)] if several else list(known)
        self._several = several
        self._glyphs = glyphs
        self._lines = WizardLines(glyphs, "choices-list", most=20)
        self._box = Vertical(self._lines, id="choices")
        self._box.border_title = title
        self._box.border_subtitle = Content(describe_choice_keys(keys, several=several))

    def compose(self) -> ComposeResult:
        """Yields the box."""
        yield self._box

    def on_mount(self) -> None:
        """Shows the list, with the cursor on the value that is chosen."""
        self.set_class(self._glyphs.ascii, "-ascii")
        self._lines.focus()
        self._show()
        self.call_after_refresh(self._begin)

    def on_resize(self, event: Resize) -> None:
        """Lets the list scroll where the screen is lower than it."""
        self._lines.styles.max_height = max(1, event.size.height - FRAME)

    def _begin(self) -> None:
        self._show()
        self._lines.move_to(self._chosen[0] if self._chosen else self._order[0])

    def _show(self) -> None:
        self._lines.show(self._write)

    def _write(self, _: int) -> list[ListLine]:
        lines = []
        for each in self._order:
            is_chosen = each in self._chosen
            mark = f"{self._glyphs.finished} " if is_chosen else "  "
            lines.append(make_list_line((mark, "finished"), (each, "strong" if is_chosen else "plain"), key=each))
        return lines

    def action_pick(self) -> None:
        """Chooses the value under the cursor, or no longer."""
        name = str(self._lines.cursor)
        if not self._several:
            self.action_take()
            return
        chosen = set(self._chosen) ^ {name}
        self._chosen = [each for each in self._order if each in chosen]
        self._show()

    def action_down(self) -> None:
        """Moves the value under the cursor down."""
        self._move(1)

    def action_up(self) -> None:
        """Moves the value under the cursor up."""
        self._move(-1)

    def _move(self, step: int) -> None:
        name = str(self._lines.cursor)
        at = self._order.index(name)
        to = at + step
        if self._several and 0 <= to < len(self._order):
            self._order[at], self._order[to] = self._order[to], self._order[at]
            self._chosen = [each for each in self._order if each in self._chosen]
            self._show()
            self._lines.move_to(name)

    def action_take(self) -> None:
        """Takes what is chosen."""
        self.dismiss(tuple(self._chosen) if self._several else (str(self._lines.cursor),))

    def action_leave(self) -> None:
        """Takes nothing."""
        self.dismiss(None)

    def on_wizard_lines_clicked(self, _: WizardLines.Clicked) -> None:
        """Chooses what was clicked."""
        self.action_pick()


def describe_choice_keys(keys: CommandKeys, *, several: bool = False) -> str:
    """Returns what the keys of a list to choose from do; one that a command does not have is left out."""

    def name(verb: str, *command_ids: str) -> str:
        labels = [keys.label(each) for each in command_ids if keys.find(each).keys]
        return f"{' '.join(labels)} {verb if len(labels) < 2 else verb.removesuffix('s')}" if labels else ""

    more = (name("chooses", "choices_pick"), name("moves", "choices_down", "choices_up")) if several else ()
    told = (*more, name("takes", "choices_take"), name("goes back", "choices_leave"))
    return ", ".join(filter(None, told))
