"""Reads the stream of another machine: bytes to sessions, tolerant of whatever a login prints before, and bounded in memory."""

from typing import Any

import msgspec

from atm_tui.model.checked import LATEST
from atm_tui.model.decoding import decode_json
from atm_tui.model.session import Session, Unreadable
from atm_tui.model.stream import LINES, PROTOCOL, SESSION_ID, CompleteLine, FleetLine, Hello, ReplyLine, SessionLine
from atm_tui.model.unknown_fields import LARGEST, read_unknown
from atm_tui.text import clean

LONGEST_LINE = 4 << 20
"""Bytes of a line. Real ones have some kilobytes."""
MOST_BEFORE_HELLO = 1 << 16
"""Bytes that may come before the hello: a greeting of the shell."""
MOST_BYTES = 64 << 20
"""Bytes of all sessions together."""
MOST_SESSIONS = 2000
MOST_OTHERS = 100
"""Lines of unknown kinds that are kept until the caller takes them."""
MOST_UNREADABLE = 20
"""Lines that are no JSON object, after which it is no stream."""
_SHOWN = 60
_LONGEST = 200
"""Characters of a path or a problem that are kept."""


class StreamError(Exception):
    """What came is no stream that can be read; the text says why, and what to do. `is_final`: trying again changes nothing."""

    def __init__(self, text: str, *, is_final: bool = False) -> None:
        super().__init__(text)
        self.is_final = is_final


class _Kind(msgspec.Struct, frozen=True):
    change: str = ""
    at: float = 0.0


class _Named(msgspec.Struct, frozen=True):
    session_id: str = ""


class _NamedLine(msgspec.Struct, frozen=True):
    session: _Named = _Named()


class StreamReader:
    """What one stream has sent so far. Give it the bytes as they come."""

    def __init__(self) -> None:
        self.hello: Hello | None = None
        self.is_complete = False
        """Whether all sessions are listed."""
        self.sessions: dict[str, Session] = {}
        """By their ids there, as they were sent."""
        self.changed: set[str] = set()
        """Ids of sessions that came, changed or went; the caller empties it."""
        self.unknown: dict[str, dict[str, Any]] = {}
        """By session: the fields of its line that a later version sent; only of those that have some."""
        self.hello_unknown: dict[str, Any] = {}
        self.fleet_unknown: dict[str, Any] = {}
        """The fields of the hello, and of the newest fleet line, that a later version sent."""
        self.others: list[dict[str, Any]] = []
        """Lines of kinds that a later version sends; the caller empties it."""
        self.fleet = FleetLine()
        self.replies: list[ReplyLine] = []
        """Replies to commands; the caller empties it after each `feed`."""
        self.unreadable: dict[str, Unreadable] = {}
        """Sessions whose lines can't be read, by their ids."""
        self.ahead: float | None = None
        """Seconds by which its clock is ahead at least, by the newest bytes; None before the first line."""
        self._rest = b""
        self._skipped = 0
        self._unreadable_lines = 0
        self._sizes: dict[str, int] = {}

    def feed(self, data: bytes, now: float) -> bool:
        """Takes bytes that came at `now` (epoch seconds). Returns whether they say more than that the stream still runs.

        Raises StreamError.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        is_news = False
        self.ahead = None
        for line in lines:
            is_news |= self._read_line(line, now)
        if len(self._rest) > (LONGEST_LINE if self.hello else MOST_BEFORE_HELLO):
            raise StreamError(f"it sends a line of more than {len(self._rest) >> 10} KB: that is no stream of atm-tui")
        return is_news

    def list_unreadable(self) -> tuple[Unreadable, ...]:
        """Returns what can't be read: files there, and sessions that it sends."""
        return (*cut_unreadable(self.fleet), *self.unreadable.values())

    def _read_line(self, line: bytes, now: float) -> bool:
        if not line.strip():
            return False
        try:
            kind = decode_json(line, _Kind)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._skip(line)
            return False
        if self.hello is None:
            return self._read_hello(line, kind, now)
        if 0 < kind.at < LATEST:
            self.ahead = max(self.ahead, kind.at - now) if self.ahead is not None else kind.at - now
        known = LINES.get(kind.change)
        if known is SessionLine:
            return self._read_session(line)
        if known is None:
            return self._keep_other(line, kind)
        if known is Hello:
            return False
        try:
            found = decode_json(line, known)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._skip(line)
            return False
        if isinstance(found, FleetLine):
            unknown = read_unknown(line, found)
            differs = (msgspec.structs.replace(found, at=self.fleet.at), unknown) != (self.fleet, self.fleet_unknown)
            self.fleet, self.fleet_unknown = found, unknown
            return differs
        if isinstance(found, ReplyLine):
            self.replies.append(found)
            return False
        if isinstance(found, CompleteLine):
            self.is_complete = True
            return True
        return False

    def _keep_other(self, line: bytes, kind: _Kind) -> bool:
        """Keeps a line whose kind we don't know; returns whether it does."""
        if not kind.change or len(line) > LARGEST or len(self.others) >= MOST_OTHERS:
            return False
        try:
            self.others.append(decode_json(line, dict[str, Any]))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return False
        return True

    def _read_hello(self, line: bytes, kind: _Kind, now: float) -> bool:
        try:
            hello = decode_json(line, Hello) if kind.change == "hello" else None
        except (msgspec.MsgspecError, ValueError, RecursionError):
            hello = None
        if hello is None:
            self._skip(line)
            return False
        check_protocol(hello)
        self.hello = hello
        self.hello_unknown = read_unknown(line, hello)
        self.ahead = hello.at - now if 0 < hello.at < LATEST else None
        return True

    def _read_session(self, line: bytes) -> bool:
        try:
            found = decode_json(line, SessionLine)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            self._note_unreadable(line, str(error))
            return True
        key = found.session.session_id
        if found.change == "removed":
            self.unreadable.pop(key, None)
            self._sizes.pop(key, None)
            self.unknown.pop(key, None)
            self.changed.add(key)
            return self.sessions.pop(key, None) is not None
        if not SESSION_ID.fullmatch(key):
            self._note_unreadable(line, "its id is none of Claude Code")
            return True
        self._sizes[key] = len(line)
        if len(self._sizes) > MOST_SESSIONS or sum(self._sizes.values()) > MOST_BYTES:
            raise StreamError(f"it has more than {MOST_SESSIONS} sessions, or more than {MOST_BYTES >> 20} MB of them")
        self.unreadable.pop(key, None)
        unknown = read_unknown(line, found)
        if self.sessions.get(key) == found.session and self.unknown.get(key, {}) == unknown:
            return False
        self.sessions[key] = found.session
        if unknown:
            self.unknown[key] = unknown
        else:
            self.unknown.pop(key, None)
        self.changed.add(key)
        return True

    def _note_unreadable(self, line: bytes, why: str) -> None:
        try:
            key = decode_json(line, _NamedLine).session.session_id[:_SHOWN]
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self._skip(line)
            return
        if len(self.unreadable) < MOST_UNREADABLE:
            self.unreadable[key] = Unreadable(path=key or "session", problem=why[:_LONGEST])

    def _skip(self, line: bytes) -> None:
        """Counts a line that is none of the stream. Raises StreamError when there are too many."""
        self._skipped += len(line)
        self._unreadable_lines += self.hello is not None
        if self._skipped > MOST_BEFORE_HELLO or self._unreadable_lines > MOST_UNREADABLE:
            shown = clean(line[:_SHOWN].decode(errors="replace"))
            raise StreamError(f'it sends something else than a stream of atm-tui: "{shown}"')


def cut_unreadable(fleet: FleetLine) -> list[Unreadable]:
    """Returns what a machine can't read there, in bounds."""
    kept = fleet.unreadable[:MOST_UNREADABLE]
    return [Unreadable(path=each.path[:_LONGEST], problem=each.problem[:_LONGEST]) for each in kept]


def check_protocol(hello: Hello) -> None:
    """Raises StreamError for a machine that speaks another protocol than ours."""
    if hello.protocol > PROTOCOL:
        text = f"it speaks protocol {hello.protocol}, this atm-tui {PROTOCOL}: update atm-tui here"
        raise StreamError(text, is_final=True)
    if hello.protocol < PROTOCOL:
        text = f"it speaks protocol {hello.protocol}, this atm-tui {PROTOCOL}: update atm-tui there"
        raise StreamError(text, is_final=True)
