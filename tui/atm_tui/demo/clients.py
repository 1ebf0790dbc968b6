"""Processes that stand in for Claude Code, so that the sessions of the demo have live pids."""

import subprocess
from types import TracebackType

from atm_hooks.proc import read_start_ticks


class Clients:
    """One small process for each session: `cat` on a pipe of the demo, so that it ends with the demo in any case."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Clients":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for session in list(self._running):
            self.end(session)

    def start(self, session: str) -> int:
        """Returns the pid of a session's process, and starts it if there is none. Raises OSError when it can't be started."""
        if session not in self._running:
            self._running[session] = subprocess.Popen(
                ["cat"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._running[session].pid

    def find_start(self, session: str) -> str:
        """Returns the start of a session's process in clock ticks since boot; "" when unknown."""
        return read_start_ticks(self.start(session))

    def end(self, session: str) -> None:
        """Ends the process of a session."""
        process = self._running.pop(session, None)
        if process is None:
            return
        assert process.stdin is not None  # noqa: S101
        process.stdin.close()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
