"""What a NATS server has of many machines: which of them are live, silent or gone, and what is new of each. Locked."""

import threading
from collections.abc import Callable, Iterable

import msgspec

from atm_tui.model.fleet_server import Level
from atm_tui.model.machine import LinkState, Machine
from atm_tui.model.published import BUCKET, parse_key
from atm_tui.model.session import Unreadable
from atm_tui.monitor.link import MARGIN, LinkUpdate
from atm_tui.sources.published import PublishedMachine
from atm_tui.text import clean, format_count

MOST_MACHINES = 1000

Entry = tuple[str, bytes | None, float]
"""A key of the bucket, its value (None: it was deleted), and when it was put by the server's clock, epoch seconds."""


class _Taken(msgspec.Struct):
    """A machine as it was taken last, and what is to be taken anew."""

    machine: Machine | None = None
    unreadable: tuple[Unreadable, ...] = ()
    all: bool = True
    """Whether any session may differ."""


class PublishedFleet:
    """What is known of all machines. The link gives what comes, in its thread; `take` may be called in another one."""

    def __init__(self, now: Callable[[], float], origin: str) -> None:
        """`now`: the wall clock in epoch seconds. `origin`: that of this machine, whose sessions are here already."""
        self._now = now
        self._origin = origin
        self._lock = threading.Lock()
        self._machines: dict[str, PublishedMachine] = {}
        self._taken: dict[str, _Taken] = {}
        self._dirty: dict[str, None] = {}
        """Names of machines that are to be taken anew, in the order in which they changed."""
        self._urgent: dict[str, None] = {}
        """Those of them that are taken first: what needs a person does not wait for the figures of a thousand others."""
        self._problem = ""
        """Why there is no link, or no bucket; empty before the first try, and while everything is listed."""
        self._retry_at: float | None = None
        self._was_listed = False
        self._listed: dict[str, set[str]] = {}
        """What was named since the bucket was opened: ids of sessions by machine."""
        self._server_ahead = 0.0
        """Seconds by which the server's clock is ahead of ours at least."""
        self._strange: set[str] = set()
        self._left_out: set[str] = set()

    def list_notices(self, server: str) -> tuple[str, ...]:
        """Returns what is wrong with the server and the bucket, in sentences."""
        found = []
        if self._problem:
            old = " What it had before is shown as it last was." if self._was_listed else ""
            found.append(f"NATS server {server}: {self._problem}.{old} It is tried again.")
        if self._strange:
            found.append(f"NATS: {format_count(len(self._strange), 'key')} of the bucket {BUCKET} can't be of atm-tui.")
        if self._left_out:
            found.append(f"NATS: {len(self._left_out)} machines more than {MOST_MACHINES} are not shown.")
        return tuple(found)

    def take(self, most: int) -> tuple[list[LinkUpdate], bool]:
        """Returns what changed since the last call, by machine, and whether more is left: after `most` sessions, about."""
        found: list[LinkUpdate] = []
        count = 0
        with self._lock:
            while self._dirty and count < most:
                name = next(iter(self._urgent or self._dirty))
                self._urgent.pop(name, None)
                del self._dirty[name]
                found.append(self._make_update(name))
                changed = found[-1].changed
                count += len(found[-1].sessions if changed is None else changed)
            return found, bool(self._dirty)

    def _make_update(self, name: str) -> LinkUpdate:
        taken, there = self._taken.setdefault(name, _Taken()), self._machines.get(name)
        if there is None or not self._is_shown(there):
            del self._taken[name]
            return LinkUpdate(Machine(name=name), {}, None, is_gone=True)
        taken.machine = self._describe(there, name)
        changed, there.changed = (None if taken.all else frozenset(there.changed)), set()
        taken.all = there.is_urgent = False
        taken.unreadable = there.list_unreadable()
        return LinkUpdate(taken.machine, dict(there.sessions), changed, taken.unreadable, dict(there.unknown))

    # What comes

    def begin_listing(self) -> None:
        """The bucket was opened: all that is in it comes."""
        with self._lock:
            self._listed, self._strange, self._left_out = {}, set(), set()

    def read(self, entries: Iterable[Entry], server_ahead: float) -> None:
        """Takes what came of the bucket. `server_ahead`: seconds by which the server's clock is ahead of ours at least."""
        with self._lock:
            self._server_ahead = server_ahead
            for entry in entries:
                self._read(*entry)

    def _read(self, key: str, data: bytes | None, put: float) -> None:
        found = parse_key(key)
        if found is None:
            if len(self._strange) < MOST_MACHINES:
                self._strange.add(key)
            return
        name, session_id = found
        there = self._machines.get(name)
        if there is None:
            if data is None:
                return
            if len(self._machines) >= MOST_MACHINES:
                if len(self._left_out) < MOST_MACHINES:
                    self._left_out.add(name)
                return
            there = self._machines[name] = PublishedMachine()
        listed = self._listed.setdefault(name, set())
        if data is None:
            listed.discard(session_id)
            there.drop_session(session_id) if session_id else there.drop_record()
        else:
            listed.add(session_id)
            there.take_session(session_id, data, put) if session_id else there.take_record(data, put)
        self._check(name)

    def complete(self) -> None:
        """Everything is listed: what was not named is gone, and from now on no change is missed."""
        with self._lock:
            self._was_listed, self._problem, self._retry_at = True, "", None
            for name, there in list(self._machines.items()):
                listed = self._listed.get(name, set())
                there.keep_only(listed)
                if "" not in listed:
                    there.drop_record()
                self._check(name)

    def grow_old(self, ttl: float) -> bool:
        """Finds machines that have become silent, and what the bucket has forgotten: it says nothing of that.

        `ttl`: seconds after which it does; 0: never. Returns whether anything is to be taken.
        """
        with self._lock:
            for name, there in list(self._machines.items()):
                if ttl:
                    there.expire(self._find_server_time() - ttl)
                self._check(name)
            return bool(self._dirty)

    def set_problem(self, problem: str, retry_at: float | None) -> None:
        """There is no link, or no bucket; `retry_at`: when it is tried again, None: it is being tried."""
        with self._lock:
            self._problem, self._retry_at = problem, retry_at
            for name in list(self._machines):
                self._check(name)

    @property
    def problem(self) -> str:
        """Why there is no link; empty while there is one."""
        return self._problem

    # What is to be taken

    def _check(self, name: str) -> None:
        """Notes that a machine is to be taken anew if it differs from what was taken."""
        there, taken = self._machines[name], self._taken.get(name)
        if not self._is_shown(there):
            if taken is not None:
                self._dirty[name] = None
            if there.record is None and not there.problem and not there.sessions:
                del self._machines[name]
            return
        machine = self._describe(there, name)
        before = taken.machine if taken else None
        if there.changed or before != machine or (taken and taken.unreadable != there.list_unreadable()):
            self._dirty[name] = None
            if there.is_urgent:
                self._urgent[name] = None
        if taken and before and before.ahead != machine.ahead:
            taken.all = True

    def _is_shown(self, there: PublishedMachine) -> bool:
        if there.problem:
            return True
        return there.record is not None and not (self._origin and there.record.origin == self._origin)

    def _find_server_time(self) -> float:
        return self._now() + self._server_ahead

    def _describe(self, there: PublishedMachine, name: str) -> Machine:
        """Returns a machine as it is now. Times of the server become ours."""
        record = there.record
        taken = self._taken.get(name)
        before = taken.machine if taken else None
        if record is None:
            return Machine(name=name, link=LinkState.REFUSED, problem=there.problem)
        ahead = there.ahead + self._server_ahead
        ahead = ahead if abs(ahead) >= MARGIN else 0.0
        if before is not None and abs(ahead - before.ahead) < MARGIN and (ahead == 0.0) is (before.ahead == 0.0):
            ahead = before.ahead
        is_down = bool(self._problem)
        is_silent = is_down or there.is_silent(self._find_server_time())
        since = there.heard - self._server_ahead
        if before is not None and before.silent_since is not None and abs(since - before.silent_since) < MARGIN:
            since = before.silent_since
        problem = self._problem if is_down else "it stopped publishing" if record.has_left else ""
        return Machine(
            name=name,
            link=LinkState.BROKEN if is_down else LinkState.SILENT if is_silent else LinkState.LIVE,
            silent_since=since if is_silent else None,
            retry_at=self._retry_at if is_down else None,
            problem=problem,
            version=clean(record.hello.version)[:40],
            ahead=ahead,
            unknown=there.record_unknown,
            notices=tuple(clean(each)[:300] for each in record.fleet.notices[:5]),
            counts=record.totals if record.level is Level.COUNTS else None,
        )
