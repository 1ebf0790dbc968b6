"""Which commands work on a screen as it is now, asked of the bindings themselves: for the palette and the help."""

from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.screen import Screen

from atm_tui.commands import NOTHING, Selection
from atm_tui.screens.base import CommandScreen


class Bound(NamedTuple):
    """What a command's key does on a screen."""

    action: str
    node: DOMNode


def bound_on(screen: Screen[Any]) -> dict[str, Bound]:
    """By the id of each command that a key runs on this screen, as its focus is now: what that key does."""
    found = screen.active_bindings.values()
    return {each.binding.id: Bound(each.binding.action, each.node) for each in found if each.binding.id}


def selection_on(screen: Screen[Any]) -> Selection:
    """What is selected there; nothing where nothing can be."""
    return screen.selection if isinstance(screen, CommandScreen) else NOTHING
