"""Living processes that stand in for Claude Code, so that the sessions of the demo are alive for whoever looks at their pids."""

import subprocess
from types import TracebackType

from atm_hooks.proc import start_ticks


class Clients:
    """One small process a session: `cat` on a pipe that we hold, so that it ends when we end, however that happens."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Clients":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for session in list(self._running):
            self.end(session)

    def pid(self, session: str) -> int:
        """The process of a session; it is started when there is none. Raises OSError when it can't be."""
        if session not in self._running:
            self._running[session] = subprocess.Popen(
                ["cat"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._running[session].pid

    def started(self, session: str) -> str:
        """When the process of a session began, in the kernel's clock ticks; "" where the system does not tell."""
        return start_ticks(self.pid(session))

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
