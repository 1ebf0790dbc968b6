"""Copies text to tmux's buffer and with the system's clipboard program."""

import sys

import msgspec

from atm_tui import paths
from atm_tui.jump.run import feed_program, has_program
from atm_tui.jump.tmux import make_copy_command
from atm_tui.jump.values import Command, OwnTerminal

_TIMEOUT = 5.0
"""Time limit in seconds for a program to accept the text."""
_PROGRAMS: tuple[tuple[str, Command], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-in")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
)
"""The programs of Linux, each with the variable which shows that its display is available."""


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """Where a text was copied to."""

    places: tuple[str, ...] = ()
    """What accepted it: tmux's buffer, and the name of a program."""
    problems: tuple[str, ...] = ()
    """What failed, and why."""


def copy_text(text: str, own: OwnTerminal) -> Copied:
    """Copies text to every available clipboard except the terminal's, which OSC 52 reaches. Takes up to some seconds."""
    data = text.encode(errors="surrogateescape")
    steps: list[tuple[str, Command, bytes]] = []
    if (tmux := make_copy_command(text, own)) is not None:
        steps.append(("tmux's buffer", tmux, b""))
    if (program := find_clipboard_program()) is not None:
        steps.append((program[0], program, data))
    places, problems = [], []
    for place, command, given in steps:
        if problem := feed_program(command, given, _TIMEOUT).problem:
            problems.append(f"{command[0]}: {problem}")
        else:
            places.append(place)
    return Copied(places=tuple(places), problems=tuple(problems))


def find_clipboard_program() -> Command | None:
    """Returns the command that copies its input to the clipboard of the user's display; None without one."""
    if sys.platform == "darwin":
        # over ssh it would be the clipboard of another machine
        return ("pbcopy",) if not paths.read_variable("SSH_CONNECTION") and has_program("pbcopy") else None
    found = (command for variable, command in _PROGRAMS if paths.read_variable(variable) and has_program(command[0]))
    return next(found, None)
