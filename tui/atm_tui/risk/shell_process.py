"""Reads shell commands in a child process, since the native parser crashes or takes minutes on some texts.

If the child process fails, the text counts as unreadable.
"""

import atexit
import json
import os
import resource
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress

from atm_tui.risk.shell import ShellCommand, pack_commands, read_commands, unpack_commands
from atm_tui.risk.syntax import MAX_BYTES, MAX_SECONDS, UnreadableError

PATIENCE = MAX_SECONDS + 4.0
"""Seconds to wait for a result, including the start of the process; the reader itself stops after MAX_SECONDS."""
MEMORY = 1 << 30
"""Bytes of address space that the process may use."""


class ShellProcess:
    """A child process that reads one command at a time; started when needed, and again after it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def read_commands(self, text: str) -> list[ShellCommand]:
        """Returns the same as `shell.read_commands`. Raises UnreadableError, also if the process crashed or took too long."""
        if len(text) > MAX_BYTES:
            raise UnreadableError("too long")
        with self._lock:
            try:
                answer = json.loads(self._ask(json.dumps(text).encode("ascii") + b"\n"))
            except (OSError, ValueError):
                self.close()
                raise UnreadableError("the parser gave up") from None
        if isinstance(answer, str):
            raise UnreadableError(answer)
        return unpack_commands(answer)

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()

    def _ask(self, question: bytes) -> bytes:
        """Sends a line and returns the line that comes back. Raises OSError, including TimeoutError."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "atm_tui.risk.shell_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        process = self._process
        assert process.stdin is not None  # noqa: S101  both are pipes
        assert process.stdout is not None  # noqa: S101
        process.stdin.write(question)
        answer, until = b"", time.monotonic() + PATIENCE
        while not answer.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError
            chunk = os.read(process.stdout.fileno(), 1 << 20)
            if not chunk:
                raise ConnectionError
            answer += chunk
        return answer


def serve() -> None:
    """Runs the child process: for each line, a JSON string, it writes the commands, or a string with the reason for none."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin.buffer:
        try:
            answer: object = pack_commands(read_commands(json.loads(line)))
        except UnreadableError as error:
            answer = str(error)
        except (MemoryError, RecursionError):
            answer = "too much for the parser"
        sys.stdout.buffer.write(json.dumps(answer).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


SHELL = ShellProcess()
atexit.register(SHELL.close)

if __name__ == "__main__":
    serve()
