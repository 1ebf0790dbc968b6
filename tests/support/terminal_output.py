"""What a program prints on a terminal of a given width."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress


def read_terminal(command: Sequence[str], environ: Mapping[str, str], *, columns: int, lines: int = 24) -> str:
    """Runs a program whose output is a terminal; returns what it printed, with newlines alone at the ends of lines."""
    master, terminal = pty.openpty()
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, env=environ)
        os.close(terminal)
        printed = b""
        with suppress(OSError):  # EIO: the program has closed the terminal
            while part := os.read(master, 65536):
                printed += part
        process.wait()
    finally:
        os.close(master)
    return printed.decode().replace("\r\n", "\n")
