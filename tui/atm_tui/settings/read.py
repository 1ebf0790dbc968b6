"""Reads settings files and other small files of the installer."""

from pathlib import Path

from atm_hooks.regular_file import read_regular

MAX_SIZE = 16 * 1024 * 1024
"""Bytes. A larger file can't be a settings file."""


def read_bytes(path: Path) -> bytes:
    """Returns the bytes of a regular file of at most MAX_SIZE, through its links. Raises OSError."""
    return read_regular(str(path), MAX_SIZE)
