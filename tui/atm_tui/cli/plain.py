"""`atm-tui --plain`: prints the fleet as lines, then each change."""

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Callable

from atm_tui.cli.clean_stream import OutputError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import flush, write_lines
from atm_tui.cli.terminal import can_type
from atm_tui.monitor.protocol import Monitor
from atm_tui.view import plain

_BYE = "Type q and Enter to leave."
_SIGNALS = (
    (signal.SIGINT, ExitCode.DONE),
    (signal.SIGTERM, ExitCode.TERMINATED),
    (signal.SIGHUP, ExitCode.HANGUP),
)
"""The exit code for each signal."""


def run_plain(monitor: Monitor) -> int:
    """Prints the first list, then each change, until `q` and Enter, the end of input, or Ctrl-C; returns the exit code.

    If stdin is not a terminal (for a log, or in a pipe), input is not read, and only a signal ends it.
    """
    return asyncio.run(_Plain(monitor, _print).run(listen=can_type()))


def _print(lines: list[str]) -> None:
    write_lines(lines)
    flush()


class _Plain:
    def __init__(self, monitor: Monitor, print_lines: Callable[[list[str]], None]) -> None:
        self._monitor = monitor
        self._print = print_lines
        self._stop = threading.Event()
        self._code = 0
        self._failure: OutputError | None = None

    async def run(self, *, listen: bool) -> int:
        loop = asyncio.get_running_loop()
        following = asyncio.create_task(self._follow())
        for number, code in _SIGNALS:
            loop.add_signal_handler(number, self._leave, following, code)
        if listen:
            loop.add_reader(sys.stdin.fileno(), self._handle_input, following)
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await following
        finally:
            if listen:
                loop.remove_reader(sys.stdin.fileno())
        if self._failure is not None:
            raise self._failure
        return self._code

    async def _follow(self) -> None:
        await asyncio.to_thread(self._monitor.refresh)
        self._print([*plain.write_first_lines(self._monitor.fleet, self._monitor.now()), _BYE])
        before = plain.take_snapshot(self._monitor.fleet)
        async for _ in self._monitor.watch(self._stop):
            if await asyncio.to_thread(self._monitor.refresh):
                if lines := plain.write_changes(before, self._monitor.fleet):
                    self._print(lines)
                before = plain.take_snapshot(self._monitor.fleet)

    def _handle_input(self, following: "asyncio.Task[None]") -> None:
        line = sys.stdin.readline()
        if not line or line.strip().lower() in ("q", "quit"):
            self._leave(following, 0)
        elif not line.strip():
            # Enter alone prints the current state.
            try:
                self._print(plain.write_first_lines(self._monitor.fleet, self._monitor.now()))
            except OutputError as error:  # the event loop would only log the exception
                self._failure = error
                self._leave(following, 0)

    def _leave(self, following: "asyncio.Task[None]", code: int) -> None:
        self._code = code
        self._stop.set()
        following.cancel()
