"""The terminal of a command: complaints, questions, the clipboard, and another program in place of this process."""

import base64
import os
import sys
from typing import NoReturn

from atm_tui.jump.values import Command, JumpError
from atm_tui.text import clean

_LONGEST = 74_994
"""Bytes that every terminal takes by OSC 52, before base64."""


def complain(text: str) -> None:
    """Writes a message for a person to stderr, beside the output; lines stay lines."""
    sys.stderr.write(f"atm-tui: {clean(text, lines=True)}\n")


def can_ask() -> bool:
    """Whether a person sits at stdin and stdout."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def can_show_screen() -> bool:
    """Whether a full screen can be opened: it is painted on stderr, and keys come from stdin."""
    return can_ask() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Asks a person; Enter alone is yes, the end of the input is no."""
    sys.stdout.write(f"{question} [Y/n] ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return bool(line) and line.strip().lower() in ("", "y", "yes")


def clipboard_sequence(text: str) -> str:
    """The escape sequence (OSC 52) by which a terminal puts `text` into the clipboard; empty when it is too long."""
    data = text.encode()
    return f"\x1b]52;c;{base64.b64encode(data).decode()}\x07" if len(data) <= _LONGEST else ""


def replace_process(command: Command, directory: str = "") -> NoReturn:
    """Runs `command` in place of this process, in a directory. Raises JumpError when either is not there."""
    sys.stdout.flush()
    try:
        if directory:
            os.chdir(directory)
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    except FileNotFoundError as error:
        missing = directory if error.filename == directory else command[0]
        raise JumpError(f"{missing} was not found. Set ATM_CLAUDE to the program of Claude Code.") from error
    except OSError as error:
        raise JumpError(f"{error.filename or command[0]}: {error.strerror}") from error
