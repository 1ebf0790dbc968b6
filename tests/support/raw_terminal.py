"""A program on a pseudo terminal, with all bytes that it wrote and the escape sequences among them."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.waiting import PATIENCE

SEQUENCE = re.compile(
    r"\x1b\[(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b(?P<string>[PX^_][^\x1b]*\x1b\\)"
    r"|\x1b(?P<short>[ -/]*[0-~])"
)
"""A sequence as terminals read it: CSI, OSC, another string, or a short one."""


class RawTerminal:
    """The program; close it with `end`. Sizes are (columns, rows)."""

    def __init__(
        self, words: Sequence[str], environ: Mapping[str, str], folder: Path, size: tuple[int, int] = (140, 45)
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, cwd=folder, env=dict(environ)
        )
        os.close(slave)
        self.raw = b""

    @property
    def text(self) -> str:
        """The written text without sequences."""
        return SEQUENCE.sub("", self.raw.decode("utf-8", "replace"))

    def wait_for(self, words: str, since: int = 0) -> None:
        """Waits until `words` were written after the first `since` bytes. Raises AssertionError after PATIENCE seconds."""
        end = time.monotonic() + PATIENCE
        while words not in SEQUENCE.sub("", self.raw[since:].decode("utf-8", "replace")):
            assert time.monotonic() < end, f"{words!r} never came:\n{self.text[-3000:]}"
            self._read(0.2)

    def wait_for_bytes(self, data: bytes, since: int = 0) -> None:
        """Waits until these bytes were written after the first `since` bytes. Raises AssertionError if they never are."""
        end = time.monotonic() + PATIENCE
        while data not in self.raw[since:]:
            assert time.monotonic() < end, f"{data!r} never came:\n{self.raw[-3000:]!r}"
            self._read(0.2)

    def press(self, keys: str, words: str) -> None:
        """Types keys, and waits until `words` are written."""
        since = len(self.raw)
        self.type(keys)
        self.wait_for(words, since)

    def type(self, keys: str) -> None:
        """Types keys."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Reads the rest, and returns the exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        while self._read(0):
            pass
        return self.process.wait(1)

    def close(self) -> None:
        """Kills the program if it is still running."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self.raw += data
        return bool(data)
