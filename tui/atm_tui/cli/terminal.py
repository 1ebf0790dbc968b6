"""The terminal of a command: asks questions, and replaces this process with another program."""

import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

from atm_tui.cli.output import flush, write_question

if TYPE_CHECKING:
    from atm_tui.jump.values import Command


def can_ask() -> bool:
    """Returns whether stdin and stdout are terminals."""
    return _is_terminal(sys.stdin) and _is_terminal(sys.stdout)


def can_type() -> bool:
    """Returns whether stdin is a terminal."""
    return _is_terminal(sys.stdin)


def can_show_screen() -> bool:
    """Returns whether a screen can be opened: Textual draws on stderr and reads keys from stdin."""
    return can_ask() and _is_terminal(sys.stderr)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def ask(question: str, *, beside: bool = False) -> str:
    """Asks a question; returns the typed line without blanks around it, "" at the end of the input.

    `beside`: whether to write the question to stderr, since stdout may be redirected.
    """
    return ask_line(question, beside=beside).strip()


def confirm(question: str, *, default: bool, beside: bool = False) -> bool:
    """Asks for yes or no; Enter alone is `default`, the end of the input is no."""
    line = ask_line(f"{question} {'[Y/n]' if default else '[y/N]'} ", beside=beside)
    word = line.strip().lower()
    return word in ("y", "yes") or (default and bool(line) and not word)


def ask_line(question: str, *, beside: bool = False) -> str:
    """Asks a question; returns the typed line unchanged, with its newline; "" at the end of the input."""
    write_question(question, beside=beside)
    return sys.stdin.readline() if sys.stdin is not None else ""


def drop_typed_ahead() -> None:
    """Drops what was typed before a question was shown, since it can't be an answer to it."""
    if _is_terminal(sys.stdin):
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def replace_process(command: "Command", directory: str = "") -> NoReturn:
    """Replaces this process with `command`, in a directory. Raises JumpError if either does not exist."""
    from atm_tui.jump.values import JumpError

    flush()
    try:
        if directory:
            os.chdir(directory)
        os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
    except FileNotFoundError as error:
        missing = directory if error.filename == directory else command[0]
        raise JumpError(f"{missing} was not found. Set ATM_CLAUDE to the program of Claude Code.") from error
    except OSError as error:
        raise JumpError(f"{error.filename or command[0]}: {error.strerror}") from error
