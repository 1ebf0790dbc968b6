"""The keys that move through lists and texts, as the user set them."""

from dataclasses import replace

from textual.binding import Binding
from textual.widget import Widget

from atm_tui import commands


def make_scroll_bindings() -> list[Binding]:
    """Makes the key bindings of a screen that has `action_scroll(motion)`."""
    return [replace(each, action=f"scroll('{each.id}')") for each in commands.make_motion_bindings()]


def make_move_bindings() -> list[Binding]:
    """Makes the key bindings of a screen that has `action_move(step)`."""
    return [
        replace(each, action=f"move({step})")
        for command_id, step in (("cursor_down", 1), ("cursor_up", -1))
        for each in commands.make_command_bindings(commands.find_command(command_id))
    ]


def scroll_text(box: Widget, motion: str) -> None:
    """Scrolls as a cursor would move: by a line, by a page, or to an end. `motion`: the id of a command that moves the cursor."""
    scroll = {
        "cursor_down": box.scroll_down,
        "cursor_up": box.scroll_up,
        "page_down": box.scroll_page_down,
        "page_up": box.scroll_page_up,
        "cursor_first": box.scroll_home,
        "cursor_last": box.scroll_end,
    }
    scroll[motion](animate=False)
