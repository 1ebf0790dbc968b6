"""The terminal of a command: questions, the clipboard, and making way for another program."""

import base64
import os
import sys

from atm_tui.jump.values import Command, JumpError

_LONGEST = 74_994
"""Bytes that terminals take at least by OSC 52, before base64."""


def is_interactive() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def agrees(question: str) -> bool:
    """Whether a person says yes; Enter alone is yes, the end of the input no."""
    sys.stdout.write(f"{question} [Y/n] ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return bool(line) and line.strip().lower() in ("", "y", "yes")


def clipboard(text: str) -> str:
    """The escape sequence (OSC 52) by which a terminal puts `text` into the clipboard; empty when it is too long."""
    data = text.encode()
    return f"\x1b]52;c;{base64.b64encode(data).decode()}\x07" if len(data) <= _LONGEST else ""


def make_way(command: Command, directory: str = "") -> int:
    """Runs `command` in the place of this process, in a directory. Raises JumpError when either is not there."""
    sys.stdout.flush()
    try:
        if directory:
            os.chdir(directory)
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    except FileNotFoundError as error:
        missing = directory if error.filename == directory else command[0]
        raise JumpError(f"{missing} is not there. ATM_CLAUDE names the client's program.") from error
    except OSError as error:
        raise JumpError(f"{error.filename or command[0]}: {error.strerror}") from error
