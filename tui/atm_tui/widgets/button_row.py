"""The base of footers with buttons; prevents that a double click on one button also clicks its successor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.content import Content, Span
from textual.events import Click
from textual.style import Style
from textual.widgets import Static

from atm_tui.view import present


@dataclass(frozen=True)
class Button:
    """A key that works now, and its title."""

    label: str
    """The label of the key."""
    title: str
    action: str
    """The screen's action that a click runs; empty for a range of keys."""
    is_apart: bool = False
    """Whether it is at the right edge, apart from the others."""

    @property
    def text(self) -> Content:
        """The text of the button; a click on any part runs the action."""
        text = present.make_content((self.label, "key"), (f" {self.title}", "muted"))
        if not self.action:
            return text
        return text.add_spans([Span(0, len(text), Style.from_meta({"@click": f"screen.{self.action}"}))])


def join_buttons(buttons: Sequence[Button], width: int) -> Content:
    """Writes buttons on one line of `width` cells; one that is apart is at the right edge."""
    gap = "   " if width >= 60 else "  "
    line = Content(gap).join(each.text for each in buttons if not each.is_apart)
    for each in buttons:
        if each.is_apart:
            room = width - line.cell_length - each.text.cell_length
            line = line.append(" " * max(room, len(gap))).append(each.text) if line else each.text.pad_left(room)
    return line


class ButtonRow(Static):
    """After a click on a button, a click on the same place is ignored if it would confirm what the first one began."""

    ALLOW_SELECT = False
    FINISHES: ClassVar[Mapping[str, frozenset[str]]] = {}
    """By action, the actions that it confirms."""
    auto_links = False

    def __init__(self, *, id: str) -> None:  # noqa: A002 (textual's name)
        super().__init__(id=id)
        self._clicked: tuple[str, range, int] | None = None
        """Action, columns and row of the button that was clicked last; None: the last click was on no button."""

    def on_click(self, event: Click) -> None:
        """Ignores a click on the place of the last one if it would confirm what that one began."""
        action = _find_action_at(event)
        if self._clicked is not None:
            before, columns, row = self._clicked
            if before in self.FINISHES.get(action, ()) and event.x in columns and event.y == row:
                event.prevent_default()
                event.stop()
                self.explain_ignored()
                return
        self._clicked = (action, self._find_columns(action, event), event.y) if action else None

    def explain_ignored(self) -> None:
        """Called when a click was ignored; a subclass shows why."""

    def _find_columns(self, action: str, event: Click) -> range:
        """Returns the columns around a click that run the same action."""
        first = last = event.x
        while first > 0 and self._find_action(first - 1, event.y) == action:
            first -= 1
        while self._find_action(last + 1, event.y) == action:
            last += 1
        return range(first, last + 1)

    def _find_action(self, x: int, y: int) -> str:
        style = self.screen.get_style_at(self.region.x + x, self.region.y + y)
        return _name_action(style.meta.get("@click"))


def _find_action_at(event: Click) -> str:
    return _name_action(event.style.meta.get("@click"))


def _name_action(click: object) -> str:
    return click.removeprefix("screen.") if isinstance(click, str) else ""
