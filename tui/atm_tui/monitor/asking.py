"""Asks another machine over its stream: writes commands to its stdin, and waits for their replies."""

import os
import select
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoReplyError
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from atm_tui.model.decoding import convert
from atm_tui.text import clean

if TYPE_CHECKING:
    from collections.abc import Collection

    from atm_tui.model.stream import ReplyLine

T = TypeVar("T")

PATIENCE = 20.0
"""Seconds to wait for a reply."""
WRITTEN = 5.0
"""Seconds within which a command must be taken."""


class AskError(Exception):
    """There is no answer; the text says why."""


class NotAskedError(AskError):
    """Nothing was asked: there is no link, or it takes nothing."""


class DeclinedError(AskError):
    """The machine has not done it; the text says why."""


class Asker:
    """Asks over one link at a time. `ask` may be called from any thread but that of the link, which calls the others."""

    def __init__(self, name: str) -> None:
        """`name`: that of the machine, for the words of errors."""
        self._name = name
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._commands: Collection[str] = ()
        self._next = 1
        self._waiting: dict[int, Future[ReplyLine]] = {}

    def open(self, descriptor: int, commands: "Collection[str]") -> None:
        """Begins: what is asked is written to `descriptor`; the machine takes these commands."""
        os.set_blocking(descriptor, False)
        with self._lock:
            self._descriptor, self._commands = descriptor, commands

    def close(self) -> None:
        """The link has ended: nothing that is open will be replied to."""
        with self._lock:
            self._descriptor = None
            waiting, self._waiting = self._waiting, {}
        for each in waiting.values():
            each.set_exception(AskError(f"the link to {self._name} was cut"))

    def take_reply(self, line: "ReplyLine") -> None:
        """Hands a reply to who waits for it; one that nobody asked for is dropped."""
        with self._lock:
            found = self._waiting.pop(line.id, None)
        if found is not None:
            found.set_result(line)

    def ask(self, command: str, kind: type[T], patience: float = PATIENCE, **fields: Any) -> T:
        """Returns the result of a command. Blocks. Raises AskError."""
        reply: Future[ReplyLine] = Future()
        number = self._send(command, fields, reply)
        try:
            line = reply.result(patience)
        except NoReplyError:
            raise AskError(f"{self._name} did not reply within {patience:.0f} s") from None
        finally:
            with self._lock:
                self._waiting.pop(number, None)
        if line.problem:
            raise DeclinedError(f"{self._name}: {clean(line.problem)[:300]}")
        try:
            return convert(line.result, kind)
        except (msgspec.ValidationError, ValueError, RecursionError) as error:
            raise AskError(f"{self._name} replied something else: {clean(str(error))[:200]}") from None

    def _send(self, command: str, fields: dict[str, Any], reply: "Future[ReplyLine]") -> int:
        with self._lock:
            if self._descriptor is None:
                raise NotAskedError(f"there is no link to {self._name}")
            if command not in self._commands:
                raise NotAskedError(f"atm-tui on {self._name} takes no {command}: update it there")
            number, self._next = self._next, self._next + 1
            line = msgspec.json.encode({"id": number, "command": command, **fields}) + b"\n"
            self._waiting[number] = reply
            try:
                self._write(line)
            except OSError as error:
                self._waiting.pop(number, None)
                # half a line may be written: what follows would be misread
                self._descriptor = None
                raise NotAskedError(f"the link to {self._name} takes nothing: {error.strerror or error}") from error
            return number

    def beat(self) -> None:
        """Says that we still listen; nothing happens when that is impossible."""
        with self._lock:
            if self._descriptor is not None and self._commands:
                try:
                    os.write(self._descriptor, b'{"id":0,"command":"beat"}\n')
                except OSError:  # the link will be found to be silent
                    return

    def _write(self, line: bytes) -> None:
        assert self._descriptor is not None  # noqa: S101
        until = time.monotonic() + WRITTEN
        while line:
            left = until - time.monotonic()
            if left <= 0 or not select.select([], [self._descriptor], [], left)[1]:
                raise TimeoutError(0, "it reads nothing")
            line = line[os.write(self._descriptor, line) :]
