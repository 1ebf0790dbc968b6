"""Plain output of the installer's commands: what stands in a user's file can't steer the terminal."""

import sys
from typing import TextIO

from atm_tui.text import clean


def out(text: str = "") -> None:
    """One or more lines to stdout."""
    _write(sys.stdout, text)


def out_json(text: str) -> None:
    """One line of JSON to stdout; its escapes make it safe already."""
    sys.stdout.write(text + "\n")


def complain(text: str) -> None:
    """One or more lines to stderr."""
    _write(sys.stderr, text)


def confirm(question: str) -> bool:
    """Ask on the terminal; only y or yes is yes, the end of input is no."""
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def is_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _write(stream: TextIO, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(clean(text, lines=True).encode(encoding, "backslashreplace").decode(encoding) + "\n")
