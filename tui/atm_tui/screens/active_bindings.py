"""Which commands work on a screen as it is now, read from its active bindings: for the palette and the help."""

from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.screen import Screen

from atm_tui.screens.command_screen import CommandScreen
from atm_tui.view.command import NOTHING, Selection


class ActiveCommand(NamedTuple):
    """What a command's key runs on a screen."""

    action: str
    node: DOMNode


def list_active_commands(screen: Screen[Any]) -> dict[str, ActiveCommand]:
    """By the id of each command that a key runs on this screen, with its present focus: what that key runs."""
    found = screen.active_bindings.values()
    return {each.binding.id: ActiveCommand(each.binding.action, each.node) for each in found if each.binding.id}


def find_selection(screen: Screen[Any]) -> Selection:
    """What is selected there; nothing where nothing can be."""
    return screen.selection if isinstance(screen, CommandScreen) else NOTHING
