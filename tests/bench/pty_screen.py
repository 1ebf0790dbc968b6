"""A program on a pty, and when what was written there: as near to a person's terminal as a measurement gets."""

import contextlib
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Sequence

from tests.bench.cell_grid import CellGrid

DESCRIPTORS = 1024
"""What a login shell allows a process as a rule."""


class Screen:
    """A program, and when which text was written. Sizes are (rows, columns), times those of time.perf_counter."""

    def __init__(self, command: list[str], environ: dict[str, str], size: tuple[int, int], selected: str = "") -> None:
        """`selected`: a pattern of the selected row, up to its name, which is the group: it is noted when another row matches."""
        self.begun = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            os.execvpe(command[0], command, environ)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.seen: dict[bytes, float] = {}
        self.wanted: set[bytes] = set()
        self.written = 0
        """Bytes in all."""
        self.selected: tuple[int, str] | None = None
        """The line that matches `selected`, and its name."""
        self.moved = threading.Event()
        self.moved_at = 0.0
        self._row = re.compile(selected) if selected else None
        self._grid = CellGrid(*size)
        self._lock = threading.Lock()
        self._tail = b""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            select.select([self.fd], [], [])
            try:
                data = os.read(self.fd, 1 << 20)
            except OSError:
                return
            now = time.perf_counter()
            self.written += len(data)
            self._tail = self._tail[-4096:] + data
            with self._lock:
                for text in [text for text in self.wanted if text in self._tail]:
                    self.wanted.discard(text)
                    self.seen[text] = now
            if self._row is not None:
                self._find_selected(self._row, data, now)

    def _find_selected(self, row: re.Pattern[str], data: bytes, now: float) -> None:
        self._grid.feed(data)
        found = self._grid.find(row)
        if found is not None and found != self.selected:
            self.selected, self.moved_at = found, now
            self.moved.set()

    def want(self, text: str) -> None:
        """Notes when this text is written next."""
        with self._lock:
            self.wanted.add(text.encode())

    def wait(self, text: str, timeout: float = 30) -> float:
        """When the text was written. Raises TimeoutError when it was not."""
        until = time.perf_counter() + timeout
        while text.encode() not in self.seen:
            if time.perf_counter() > until:
                raise TimeoutError(f"{text!r} did not come onto the screen in {timeout:.0f} s")
            time.sleep(0.001)
        return self.seen[text.encode()]

    def press(self, key: bytes, timeout: float = 5.0) -> float | None:
        """Seconds from the key press until a frame shows another row selected; None when none comes in time."""
        self.moved.clear()
        begun = time.perf_counter()
        os.write(self.fd, key)
        return self.moved_at - begun if self.moved.wait(timeout) else None

    def close(self) -> None:
        """Ends the program."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]
