"""The commands that `atm-tui stream --commands` takes on stdin: reads them one after another, and has each carried out."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import format_json
from atm_tui.cli.stream_served import RefusedError, Served
from atm_tui.model.decoding import decode_json
from atm_tui.model.stream import ReplyLine
from atm_tui.model.stream_answers import (
    AnswerCommand,
    ArmCommand,
    DisarmCommand,
    JoinCommand,
    RequestsCommand,
)
from atm_tui.model.stream_commands import (
    LONGEST_REPLY,
    LONGEST_REQUEST,
    ConversationRequest,
    ExplainRequest,
    JumpRequest,
    PeekRequest,
    StreamRequest,
    TimelineRequest,
    UsageRequest,
)
from atm_tui.text import clean

if TYPE_CHECKING:
    from atm_tui.monitor.live import LiveMonitor

BEAT = "beat"
"""Always taken where any command is: says that the asker still listens."""
QUIET = 60.0
"""Seconds without a word, from an asker that beats, after which the stream ends. Beats come as often as heartbeats."""
_STDIN = 0
_CHUNK = 1 << 16


class StreamCommand:
    """A command: the type of its request, and the function that imports what carries it out."""

    def __init__(self, request: type[StreamRequest], load: "Callable[[], Handler]") -> None:
        """What is loaded takes the request, returns the result, and raises RefusedError. It is called in a thread of its own,
        one at a time, while the monitor may refresh in another one.
        """
        self.request = request
        self.load = load


Handler = Callable[[Any, Served], msgspec.Struct]


def _load_explain() -> Handler:
    from atm_tui.cli.stream_views import explain_session

    return explain_session


def _load_timeline() -> Handler:
    from atm_tui.cli.stream_views import list_events

    return list_events


def _load_peek() -> Handler:
    from atm_tui.cli.stream_views import peek_session

    return peek_session


def _load_conversation() -> Handler:
    from atm_tui.cli.stream_views import read_conversation

    return read_conversation


def _load_usage() -> Handler:
    from atm_tui.cli.stream_usage import list_usage

    return list_usage


def _load_jump() -> Handler:
    from atm_tui.cli.stream_jump import jump_to_session

    return jump_to_session


def _load_arm() -> Handler:
    from atm_tui.cli.stream_answers import arm

    return arm


def _load_join() -> Handler:
    from atm_tui.cli.stream_answers import join

    return join


def _load_requests() -> Handler:
    from atm_tui.cli.stream_answers import list_requests

    return list_requests


def _load_answer() -> Handler:
    from atm_tui.cli.stream_answers import answer

    return answer


def _load_disarm() -> Handler:
    from atm_tui.cli.stream_answers import disarm

    return disarm


COMMANDS: dict[str, StreamCommand] = {
    "explain": StreamCommand(ExplainRequest, _load_explain),
    "timeline": StreamCommand(TimelineRequest, _load_timeline),
    "peek": StreamCommand(PeekRequest, _load_peek),
    "conversation": StreamCommand(ConversationRequest, _load_conversation),
    "usage": StreamCommand(UsageRequest, _load_usage),
    "jump": StreamCommand(JumpRequest, _load_jump),
    "arm": StreamCommand(ArmCommand, _load_arm),
    "join": StreamCommand(JoinCommand, _load_join),
    "requests": StreamCommand(RequestsCommand, _load_requests),
    "answer": StreamCommand(AnswerCommand, _load_answer),
    "disarm": StreamCommand(DisarmCommand, _load_disarm),
}
"""By name. None is taken unless --commands names it."""


class _Head(msgspec.Struct, frozen=True):
    id: int = 0
    command: str = ""


class CommandReader:
    """Reads commands from stdin until it ends; takes none but those that were switched on."""

    def __init__(
        self, monitor: "LiveMonitor", allowed: Collection[str], print_reply: Callable[[ReplyLine], None]
    ) -> None:
        """`print_reply` is called in the event loop."""
        self.served = Served(monitor)
        self._allowed = frozenset(allowed)
        self._print_reply = print_reply
        self._ended = asyncio.Event()
        self._has_beaten = False

    async def run(self) -> ExitCode:
        """Returns when nobody asks any more: stdin has ended, or its beats have."""
        thread = threading.Thread(target=self._read, args=(asyncio.get_running_loop(),), name="commands", daemon=True)
        thread.start()
        while not self._ended.is_set() and not self._is_left:
            with suppress(TimeoutError):
                async with asyncio.timeout(QUIET / 4):
                    await self._ended.wait()
        return ExitCode.DONE

    @property
    def _is_left(self) -> bool:
        """Whether an asker that used to beat has been quiet for long: its network is gone, though nothing said so."""
        return self._has_beaten and time.monotonic() - self.served.heard_at > QUIET

    def close(self) -> None:
        """Ends what the commands have begun."""
        for each in self.served.closers:
            each()

    # The thread

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Reads a line, has it carried out, and only then reads on: who asks too much waits."""
        rest, is_skipping = b"", False
        with suppress(OSError, RuntimeError, asyncio.CancelledError):  # RuntimeError: the loop has ended
            while data := os.read(_STDIN, _CHUNK):
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if not is_skipping and line.strip():
                        asyncio.run_coroutine_threadsafe(self._handle(line), loop).result()
                    is_skipping = False
                if len(rest) > LONGEST_REQUEST:
                    rest = b""
                    if not is_skipping:
                        is_skipping = True
                        reply = ReplyLine(problem=f"a command has at most {LONGEST_REQUEST >> 10} KB")
                        loop.call_soon_threadsafe(self._reply, reply)
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ended.set)

    # The loop

    async def _handle(self, line: bytes) -> None:
        self.served.heard_at = time.monotonic()
        try:
            head = decode_json(line, _Head)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._reply(ReplyLine(problem="this is no command: a JSON object with id and command"))
            return
        if head.command == BEAT:
            self._has_beaten = True
            return
        try:
            self._reply(ReplyLine(id=head.id, result=await asyncio.to_thread(self._carry_out, head.command, line)))
        except RefusedError as error:
            self._reply(ReplyLine(id=head.id, problem=clean(str(error))))
        except Exception as error:  # noqa: BLE001  a fault of one command ends no stream
            self._reply(ReplyLine(id=head.id, problem=f"a fault in atm-tui: {type(error).__name__}"))

    def _carry_out(self, name: str, line: bytes) -> msgspec.Raw:
        """Returns the result as JSON. Raises RefusedError."""
        command = COMMANDS.get(name)
        if command is None:
            raise RefusedError(f'there is no command "{name[:60]}": update atm-tui')
        if name not in self._allowed:
            raise RefusedError(f"{name} is not switched on: atm-tui stream --commands {name}")
        try:
            request = decode_json(line, command.request)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise RefusedError(f"{name}: {error}") from None
        run = command.load()
        try:
            result = format_json(run(request, self.served)).encode()
        except OSError as error:
            raise RefusedError(f"{name}: {error.strerror or error}") from error
        if len(result) > LONGEST_REPLY:
            raise RefusedError(f"{name}: the reply is too long")
        return msgspec.Raw(result)

    def _reply(self, line: ReplyLine) -> None:
        self._print_reply(msgspec.structs.replace(line, at=self.served.monitor.now()))
