"""The link to another machine: runs the program that reaches it, reads its stream, and tries again when that ends.

Each link has a thread of its own, so that a slow machine delays nobody. It reads no faster than LARGEST_RATE, so that a mad one
takes no more than its share.
"""

import contextlib
import os
import random
import re
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO, Any

import msgspec

from atm_tui.model.host import Host, make_command
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.session import Session, Unreadable
from atm_tui.model.stream import HEARTBEAT
from atm_tui.monitor.asking import Asker
from atm_tui.sources.stream import MOST_OTHERS, StreamError, StreamReader
from atm_tui.text import clean

FIRST_WORD = 20.0
"""Seconds within which the hello must come."""
MISSED = 3.0
"""Heartbeats without a word after which a machine counts as silent; after twice as many the link is cut and made anew."""
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds between two tries; each pause is twice the one before."""
STEADY = 10.0
"""Seconds for which a link must have stood for the pauses to begin anew."""
LARGEST_RATE = 2 << 20
"""Bytes a second."""
MARGIN = 1.0
"""Seconds by which clocks may differ without a correction: what is measured includes the time on the way."""
SAMPLES = 12
_CHUNK = 1 << 16
_NOT_FOUND = 127
_USAGE = 2
_SSH_FAILED = 255


ASKED = ("explain", "timeline", "peek", "conversation", "usage")
"""The commands that a link has the other side take: they only read."""
ANSWERS = ("arm", "join", "requests", "answer", "disarm")
"""Those that it takes besides where the user's entry of the host has `answers`."""


class LinkUpdate(msgspec.Struct, frozen=True):
    """What a link knows: the machine, and what changed of its sessions since the last call."""

    machine: Machine
    sessions: dict[str, Session]
    """All, by their ids there, as they were sent."""
    changed: frozenset[str] | None
    """Ids of those that differ; None: any may."""
    unreadable: tuple[Unreadable, ...] = ()
    unknown: dict[str, dict[str, Any]] = {}
    """By id: what the line of a session had and we don't know."""
    others: tuple[dict[str, Any], ...] = ()
    """Lines since the last call whose kinds we don't know."""
    is_gone: bool = False
    """Whether the machine is no longer one of those to show."""


class Link:
    """The link to one machine. `start` it, then call `take` whenever `on_change` was called."""

    def __init__(self, name: str, host: Host, now: Callable[[], float], on_change: Callable[[], None]) -> None:
        """`now`: the wall clock in epoch seconds. `on_change` is called in the thread of the link."""
        self.name = name
        self._direct = False
        """Whether the next try is made by a connection of its own."""
        self.host = host
        self.asker = Asker(name)
        self._now = now
        self._on_change = on_change
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._settled = threading.Event()
        self._machine = Machine(name=name)
        self._reader = StreamReader()
        self._all = True
        """Whether any session may differ since the last `take`: of another connection, or by another clock."""
        self._sessions: dict[str, Session] = {}
        self._unknown: dict[str, dict[str, Any]] = {}
        self._others: list[dict[str, Any]] = []
        self._unreadable: tuple[Unreadable, ...] = ()
        self._changed: set[str] = set()
        self._heard = 0.0
        """When the last bytes came, by the monotonic clock, and by the wall clock."""
        self._heard_at: float | None = None
        self._aheads: deque[float] = deque(maxlen=SAMPLES)
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name=f"link to {name}", daemon=True)

    @property
    def is_live(self) -> bool:
        """Whether the link stands, and its machine is heard."""
        return self._machine.link is LinkState.LIVE

    @property
    def ahead(self) -> float:
        """Seconds by which the clock there is ahead of ours."""
        return self._machine.ahead

    def start(self) -> None:
        """Begins to connect."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the link and its program."""
        self._stop.set()
        if (process := self._process) is not None:
            _kill(process)

    def join(self, timeout: float) -> None:
        """Waits until the thread has ended, at most `timeout` seconds."""
        self._thread.join(timeout)

    def wait_settled(self, timeout: float) -> bool:
        """Returns whether all sessions are known, or the first try has failed, within `timeout` seconds."""
        return self._settled.wait(timeout)

    def take(self) -> LinkUpdate:
        """Returns what the link knows, and what changed since the last call."""
        with self._lock:
            changed, self._changed = (None if self._all else frozenset(self._changed)), set()
            self._all = False
            sessions, unknown = dict(self._sessions), dict(self._unknown)
            others, self._others = tuple(self._others), []
            return LinkUpdate(self._machine, sessions, changed, self._unreadable, unknown, others)

    # The thread

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            began = time.monotonic()
            problem, is_final = self._connect()
            if self._stop.is_set():
                return
            pause = FIRST_PAUSE if time.monotonic() - began > STEADY and self._reader.is_complete else pause
            rest = LONGEST_PAUSE if is_final else pause * random.uniform(0.8, 1.2)  # noqa: S311  no secret
            pause = min(2 * pause, LONGEST_PAUSE)
            self._change(
                link=LinkState.REFUSED if is_final else LinkState.BROKEN,
                problem=problem,
                silent_since=self._heard_at,
                retry_at=self._now() + rest,
            )
            self._settled.set()
            self._stop.wait(rest)
            self._change(retry_at=None)

    def _connect(self) -> tuple[str, bool]:
        """Runs the program until its stream ends; returns why it did, and whether trying again soon is useless."""
        asked = (*ASKED, *(ANSWERS if self.host.answers else ()))
        command = make_command(self.host, "stream", "--commands", ",".join(asked), direct=self._direct)
        with tempfile.TemporaryFile() as errors:
            try:
                self._process = process = self._start(command, errors)
            except OSError as error:
                return f"{clean(command[0])}: {error.strerror or error}", True
            if self._stop.is_set():
                _kill(process)
            self._reader, self._aheads = StreamReader(), deque(maxlen=SAMPLES)
            try:
                problem = self._read(process)
            except StreamError as error:
                return str(error), error.is_final
            finally:
                self.asker.close()
                _kill(process)
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()
            # after silence, a connection that the user's ssh shares would hang as well
            self._direct = bool(problem) and not self._direct
            if problem:
                return problem, False
            return self._explain_end(process.returncode, _read_last_line(errors))

    def _start(self, command: tuple[str, ...], errors: IO[bytes]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl+C is not for it
            bufsize=0,
        )

    def _read(self, process: "subprocess.Popen[bytes]") -> str:
        """Reads until the end; returns why it was cut off, or "" when the program ended by itself. Raises StreamError."""
        assert process.stdout is not None  # noqa: S101
        out = process.stdout.fileno()
        self._heard = beaten = time.monotonic()
        while not self._stop.is_set():
            hello = self._reader.hello
            beat = min(max(hello.heartbeat, 0.1), 60.0) if hello else HEARTBEAT
            limit = MISSED * beat if hello else FIRST_WORD
            silent = time.monotonic() - self._heard
            is_silent = self._machine.link is LinkState.SILENT
            if silent >= (2 * limit if hello else limit):
                return f"no word for {silent:.0f} s" if hello else f"no answer within {FIRST_WORD:.0f} s"
            if silent >= limit and not is_silent:
                self._change(link=LinkState.SILENT, silent_since=self._heard_at)
            due = (2 * limit if self._machine.link is LinkState.SILENT else limit) - silent
            if not select.select([out], [], [], max(0.01, due))[0]:
                continue
            data = os.read(out, _CHUNK)
            if not data:
                process.wait()
                return ""
            self._take_in(data)
            if self._heard - beaten >= beat:
                beaten = self._heard
                self.asker.beat()
            if hello is None and (hello := self._reader.hello) is not None and process.stdin is not None:
                self.asker.open(process.stdin.fileno(), hello.commands)
            time.sleep(len(data) / LARGEST_RATE)
        return "stopped"

    def _take_in(self, data: bytes) -> None:
        self._heard, self._heard_at = time.monotonic(), self._now()
        reader = self._reader
        with self._lock:  # `take` may copy the sessions at this moment
            is_news = reader.feed(data, self._heard_at)
        replies, reader.replies = reader.replies, []
        for each in replies:
            self.asker.take_reply(each)
        if reader.ahead is not None:
            self._aheads.append(reader.ahead)
        if not reader.is_complete:  # until then, what the last connection sent stays
            return
        is_new = self._machine.link is not LinkState.LIVE
        ahead = max(self._aheads, default=0.0)
        if abs(ahead) < MARGIN:
            ahead = 0.0
        moved = abs(ahead - self._machine.ahead) >= MARGIN or (ahead == 0.0) is not (self._machine.ahead == 0.0)
        if not (is_news or is_new or moved):
            return
        with self._lock:
            self._sessions, self._unreadable = reader.sessions, reader.list_unreadable()
            self._unknown = reader.unknown
            self._others, reader.others = [*self._others, *reader.others][-MOST_OTHERS:], []
            self._changed |= reader.changed
            reader.changed = set()
            self._all |= is_new or moved
        hello = reader.hello
        self._change(
            link=LinkState.LIVE,
            silent_since=None,
            retry_at=None,
            problem="",
            unknown=reader.hello_unknown | reader.fleet_unknown,
            version=clean(hello.version)[:40] if hello else "",
            ahead=ahead if moved else self._machine.ahead,
            notices=tuple(clean(each)[:300] for each in reader.fleet.notices[:5]),
        )
        self._settled.set()

    def _change(self, **fields: object) -> None:
        """Changes what is known of the machine, and says that something changed."""
        with self._lock:
            before = self._machine
            self._machine = msgspec.structs.replace(before, **fields)
            self._all |= before.silent_since != self._machine.silent_since
        self._on_change()

    def _explain_end(self, code: int, last: str) -> tuple[str, bool]:
        """Returns why the program ended, with the next step, and whether trying again soon is useless."""
        program = self.host.command
        if code == _NOT_FOUND and self._reader.hello is None:
            return f"there is no {program}: install it there, or set `command` for it", True
        if code == _USAGE and re.search(r'unknown command "?stream|invalid choice', last):
            return "its atm-tui is too old, it has no stream: update atm-tui there", True
        if code == _SSH_FAILED and self.host.ssh:
            return last or "ssh could not connect", False
        if code < 0:
            return "the link was cut", False
        if code == 0 and self._reader.is_complete:  # it ends when its input does
            missing = "is -i missing in `exec`?" if self.host.exec else "does your configuration of ssh close it?"
            return f"it ended, as without any input: {missing}", False
        return last or f"the link ended with exit code {code}", False


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends a program with all that it started; one that is stopped, too."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read_last_line(errors: IO[bytes]) -> str:
    """Returns the last line that the program wrote to stderr, clean and cut."""
    errors.seek(0, os.SEEK_END)
    errors.seek(max(0, errors.tell() - 4096))
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return clean(lines[-1])[:200] if lines else ""
