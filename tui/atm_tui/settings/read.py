"""Reads a settings file, or another small file of the installer's, from disk."""

from pathlib import Path

from atm_hooks.regular_file import read_regular

MAX_SIZE = 16 * 1024 * 1024
"""Bytes. A settings file beyond that is some other file."""


def read_bytes(path: Path) -> bytes:
    """Returns the bytes of a regular file of at most MAX_SIZE, through its links. Raises OSError."""
    return read_regular(str(path), MAX_SIZE)
