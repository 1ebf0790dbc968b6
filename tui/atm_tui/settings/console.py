"""Plain output of the installer's commands: what stands in a user's file can't steer the terminal."""

import re
import sys
from typing import TextIO

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and newline, C1, and what turns the direction of text."""


def safe(text: str) -> str:
    """The text with each unsafe character shown as its code."""
    return UNSAFE.sub(lambda match: f"<{ord(match[0]):02x}>", text).encode("utf-8", "replace").decode()


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
    stream.write(safe(text).encode(encoding, "backslashreplace").decode(encoding) + "\n")
