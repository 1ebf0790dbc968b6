"""Finds the commands that work on a screen now, by its active bindings; for the palette and the help screen."""

from typing import Any, NamedTuple

from textual.dom import DOMNode
from textual.screen import Screen

from atm_tui.commands import find_command_id
from atm_tui.screens.command_screen import CommandScreen
from atm_tui.view.command import NOTHING, Selection


class ActiveCommand(NamedTuple):
    """The action that a command's key runs on a screen."""

    action: str
    node: DOMNode


def list_active_commands(screen: Screen[Any]) -> dict[str, ActiveCommand]:
    """Returns the commands whose keys work on this screen with its current focus, by id."""
    found = screen.active_bindings.values()
    return {
        find_command_id(each.binding): ActiveCommand(each.binding.action, each.node)
        for each in found
        if each.binding.id
    }


def find_selection(screen: Screen[Any]) -> Selection:
    """Returns the selection of a screen; an empty one if it has none."""
    return screen.selection if isinstance(screen, CommandScreen) else NOTHING
