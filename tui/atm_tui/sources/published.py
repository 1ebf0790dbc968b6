"""Reads what one machine has put into the bucket of a NATS server: bytes to a record and sessions, bounded in memory."""

from collections import deque
from typing import Any

import msgspec

from atm_tui.model.checked import LATEST
from atm_tui.model.decoding import decode_json
from atm_tui.model.published import TTL, HelloOnly, MachineRecord
from atm_tui.model.session import Session, State, Unreadable
from atm_tui.model.stream import SessionLine
from atm_tui.model.unknown_fields import read_unknown
from atm_tui.sources.stream import (
    MOST_BYTES,
    MOST_SESSIONS,
    MOST_UNREADABLE,
    StreamError,
    check_protocol,
    cut_unreadable,
)
from atm_tui.text import clean

SAMPLES = 12
"""Number of the newest records by which the clock of the machine is compared."""
MISSED = 3.0
"""Heartbeats without a word after which a machine counts as silent."""


class PublishedMachine:
    """What stands in the bucket of one machine. Times are epoch seconds of the server's clock, if nothing else is said."""

    def __init__(self) -> None:
        self.record: MachineRecord | None = None
        """None: none came, or none that can be read."""
        self.problem = ""
        """Why the machine can't be shown."""
        self.heard = 0.0
        """When it put something last."""
        self.sessions: dict[str, Session] = {}
        """By their ids there, as they were published."""
        self.changed: set[str] = set()
        """Ids of sessions that came, changed or went; the caller empties it."""
        self.is_urgent = False
        """Whether one of them has begun or ceased to need a person; the caller resets it."""
        self.unreadable: dict[str, Unreadable] = {}
        self.unknown: dict[str, dict[str, Any]] = {}
        """By session: the fields of its line that a later version put; only of those that have some."""
        self.record_unknown: dict[str, Any] = {}
        """The same of the record of the machine."""
        self._record_put = 0.0
        self._put: dict[str, float] = {}
        """When each session was put."""
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._aheads: deque[float] = deque(maxlen=SAMPLES)

    @property
    def ahead(self) -> float:
        """Seconds by which its clock is ahead of the server's at least."""
        return max(self._aheads, default=0.0)

    def list_unreadable(self) -> tuple[Unreadable, ...]:
        """Returns what can't be read: files there, and values of its sessions."""
        there = cut_unreadable(self.record.fleet) if self.record is not None else []
        return (*there, *self.unreadable.values())

    def is_silent(self, now: float) -> bool:
        """Whether nothing has come for some heartbeats, or the machine has said that nothing will. `now`: the server's clock."""
        if self.record is None or self.record.has_left:
            return True
        beat = min(max(self.record.hello.heartbeat, 0.1), TTL)
        return now - self.heard > MISSED * beat

    def take_record(self, data: bytes, put: float) -> None:
        """Takes the record of the machine, put at `put`."""
        self._hear(put)
        self._record_put = put
        try:
            check_protocol(decode_json(data, HelloOnly).hello)
            self.record, self.problem = decode_json(data, MachineRecord), ""
        except StreamError as error:
            self.record, self.problem = None, str(error)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            self.record, self.problem = None, f"its record can't be read: {clean(str(error))[:200]}"
        self.record_unknown = {}
        if self.record is not None:
            self.record_unknown = read_unknown(data, self.record)
            if 0 < self.record.hello.at < LATEST:
                self._aheads.append(self.record.hello.at - put)

    def take_session(self, key: str, data: bytes, put: float) -> None:
        """Takes what was put at `put` for the session `key`."""
        self._hear(put)
        try:
            line = decode_json(data, SessionLine)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            self._note_unreadable(key, str(error))
            return
        if line.session.session_id != key:  # who may write one key says nothing about another
            self._note_unreadable(key, "its id is that of another session")
            return
        total = self._total + len(data) - self._sizes.get(key, 0)
        if (key not in self._sizes and len(self._sizes) >= MOST_SESSIONS) or total > MOST_BYTES:
            problem = f"it has more than {MOST_SESSIONS} sessions, or more than {MOST_BYTES >> 20} MB of them"
            self.unreadable[""] = Unreadable(path="sessions", problem=problem)
            return
        self._total, self._sizes[key], self._put[key] = total, len(data), put
        self.unreadable.pop(key, None)
        if 0 < line.at < LATEST:
            self._aheads.append(line.at - put)
        unknown = read_unknown(data, line)
        before = self.sessions.get(key)
        if before != line.session or self.unknown.get(key, {}) != unknown:
            self.is_urgent |= _needs_you(line.session) or _needs_you(before)
            self.sessions[key] = line.session
            self.changed.add(key)
            if unknown:
                self.unknown[key] = unknown
            else:
                self.unknown.pop(key, None)

    def _note_unreadable(self, key: str, why: str) -> None:
        self.drop_session(key)
        if len(self.unreadable) < MOST_UNREADABLE:
            self.unreadable[key] = Unreadable(path=key, problem=clean(why)[:200])

    def drop_session(self, key: str) -> None:
        """Forgets a session that was removed."""
        self.unreadable.pop(key, None)
        self._put.pop(key, None)
        self.is_urgent |= _needs_you(self.sessions.get(key))
        self._total -= self._sizes.pop(key, 0)
        self.unknown.pop(key, None)
        if self.sessions.pop(key, None) is not None:
            self.changed.add(key)

    def drop_record(self) -> None:
        """Forgets the record: the machine was removed."""
        self.record, self._record_put = None, 0.0

    def keep_only(self, keys: set[str]) -> None:
        """Forgets all sessions but these."""
        for key in [key for key in self._sizes if key not in keys]:
            self.drop_session(key)

    def expire(self, before: float) -> bool:
        """Forgets what was put before a time, as the bucket does. Returns whether anything was."""
        old = [key for key, put in self._put.items() if put < before]
        for key in old:
            self.drop_session(key)
        has_record = self.record is not None or bool(self.problem)
        if has_record and self._record_put < before:
            self.record, self.problem = None, ""
            return True
        return bool(old)

    def _hear(self, put: float) -> None:
        self.heard = max(self.heard, put)


def _needs_you(session: Session | None) -> bool:
    return session is not None and session.state is State.NEEDS_YOU
