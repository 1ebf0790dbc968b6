"""Publishes the sessions of this machine through a NATS server: the newest state of each into a bucket, events into a stream.

Nothing waits in a queue: what changed is noted, and read from its source when it can be sent. After a connection has ended,
everything is put anew.
"""

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from atm_tui.model.decoding import decode_json
from atm_tui.model.fleet_server import FleetServer
from atm_tui.model.published import (
    BEAT,
    BUCKET,
    KEPT_BYTES,
    KEPT_EVENTS,
    KEPT_SECONDS,
    TIMELINE,
    TIMELINE_SUBJECT,
    TTL,
    MachineRecord,
    make_key,
    parse_key,
)
from atm_tui.monitor.link import FIRST_PAUSE, LONGEST_PAUSE, STEADY
from atm_tui.monitor.nats_server import PATIENCE, Connection, ServerError, connect
from atm_tui.sources.published import MISSED

if TYPE_CHECKING:
    from nats.js.kv import KeyValue

AT_ONCE = 32
"""Number of records that are sent before the server has confirmed any of them."""
PAUSE = 0.1
"""Seconds in which further changes of the same session are sent as one."""
RENEWALS = 3.0
"""How often a record that does not change is put anew within the time after which the bucket forgets it."""
OLDEST = 3600.0
"""Seconds back from which on events are published, where the server has none of this machine."""


class Source(Protocol):
    """What is published of this machine."""

    @property
    def origin(self) -> str:
        """What identifies this machine, user and state folder."""
        ...

    def list_keys(self) -> Iterable[str]:
        """Returns the ids of all sessions to publish."""
        ...

    def encode(self, session_id: str) -> bytes | None:
        """Returns the record of a session, "" for the machine; None for one that is not there, or not to be published."""
        ...

    def encode_end(self) -> bytes:
        """Returns the record of the machine that says that publishing ends."""
        ...

    def read_events(self, session_id: str) -> Sequence[tuple[float, bytes]]:
        """Returns the events of a session since the last call, each with its time (epoch seconds); none where they stay here."""
        ...

    def read_events_again(self) -> None:
        """Makes `read_events` begin anew."""
        ...


class Publisher:
    """Publishes a source until it is cancelled. Not for several threads."""

    def __init__(
        self,
        server: FleetServer,
        machine: str,
        source: Source,
        say: Callable[[str], None],
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`say`: shows a sentence about the connection to the user."""
        self._server = server
        self._machine = machine
        self._source = source
        self._say = say
        self._now = now
        self._connection: Connection | None = None
        self._dirty: dict[str, None] = {}
        """Ids of sessions to put, "" for the machine."""
        self._active: dict[str, None] = {}
        """Ids of sessions that may have new events."""
        self._put: dict[str, float] = {}
        """When each record in the bucket was put, by the monotonic clock."""
        self._published_until: float | None = None
        """The time of the newest published event; None where events can't be published."""
        self._said: str | None = None
        """What was said last about a link that is down; empty while it stands, None before the first one."""
        self._wake = asyncio.Event()

    def mark(self, session_ids: Iterable[str]) -> None:
        """Notes that sessions changed, came or went; "" for the machine."""
        for each in session_ids:
            self._dirty[each] = None
            if each:
                self._active[each] = None
        if self._dirty:
            self._wake.set()

    async def run(self) -> None:
        """Publishes, and connects again when a connection has ended. Raises ServerError when that is of no use."""
        pause, has_published = FIRST_PAUSE, False
        while True:
            began = time.monotonic()
            try:
                connection = await connect(self._server, f"atm-tui publish {self._machine}")
                try:
                    await self._publish(connection)
                finally:
                    has_published |= self._said == ""
                    self._connection = None
                    with suppress(Exception):
                        await connection.close()
            except ServerError as error:
                if error.is_refusal and not has_published:
                    raise
                if str(error) != self._said:
                    self._said = str(error)
                    self._say(f"No link to {self._server.describe()}: {error}. It is tried again.")
            if time.monotonic() - began > STEADY:
                pause = FIRST_PAUSE
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311  no secret
            pause = min(2 * pause, LONGEST_PAUSE)

    async def leave(self) -> None:
        """Says in the bucket that publishing ends, if there is a connection."""
        if (connection := self._connection) is not None and self._put:
            with suppress(Exception):
                await connection.jetstream.publish(self._find_subject(""), self._source.encode_end(), timeout=2.0)
                await connection.client.flush(2)

    def _find_subject(self, session_id: str) -> str:
        return f"$KV.{BUCKET}.{make_key(self._machine, session_id)}"

    async def _publish(self, connection: Connection) -> None:
        """Puts everything, and then what changes. Raises ServerError when the connection ends."""
        sending = asyncio.create_task(self._send_all(connection))
        closed = asyncio.create_task(connection.closed.wait())
        try:
            await asyncio.wait([sending, closed], return_when=asyncio.FIRST_COMPLETED)
            error = sending.exception() if sending.done() else None
        finally:
            for task in (sending, closed):
                task.cancel()
            await asyncio.gather(sending, closed, return_exceptions=True)
        raise error if isinstance(error, ServerError) else connection.explain(error)

    async def _send_all(self, connection: Connection) -> None:
        bucket = await connection.open_bucket() or await self._create_bucket(connection)
        ttl = (await bucket.status()).ttl or 0.0
        there = await self._list_there(bucket)
        self._published_until = await self._open_timeline(connection)
        self._dirty = dict.fromkeys(["", *self._source.list_keys(), *there])
        self._active = dict.fromkeys(self._source.list_keys())
        self._source.read_events_again()
        self._put = dict.fromkeys(there, 0.0)
        self._connection = connection
        while True:
            await self._send_dirty(connection, bucket)
            if self._said != "":
                self._said = ""
                self._say(f"Publishing as {self._machine} through {self._server.describe()}.")
            await self._send_events(connection)
            await asyncio.sleep(PAUSE)
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self._find_next(ttl) - time.monotonic())):
                    await self._wake.wait()
            self._wake.clear()
            now = time.monotonic()
            if now - self._put.get("", 0.0) >= BEAT:
                self._dirty[""] = None
            if ttl:
                self._dirty |= {key: None for key, put in self._put.items() if now - put >= ttl / RENEWALS}

    def _find_next(self, ttl: float) -> float:
        """Returns when something has to be put anew at the latest, by the monotonic clock."""
        beat = self._put.get("", 0.0) + BEAT
        return min(beat, min(self._put.values(), default=beat) + ttl / RENEWALS) if ttl else beat

    async def _create_bucket(self, connection: Connection) -> "KeyValue":
        try:
            return await connection.jetstream.create_key_value(
                bucket=BUCKET, description="Claude Code sessions, put by atm-tui", history=1, ttl=TTL
            )
        except Exception as error:
            raise connection.explain(error) from error

    async def _list_there(self, bucket: "KeyValue") -> list[str]:
        """Returns the ids of our sessions in the bucket. Raises ServerError when another machine has our name."""
        found: list[str] = []
        key = make_key(self._machine)
        for pattern in (key, f"{key}.*"):
            watcher: Any = await bucket.watch(pattern, ignore_deletes=True, meta_only=pattern != key)
            while (entry := await watcher.updates(timeout=PATIENCE)) is not None:
                self._check_name(entry) if entry.key == key else found.append((parse_key(entry.key) or ("", ""))[1])
            await watcher.stop()
        return [each for each in found if each]

    def _check_name(self, entry: Any) -> None:
        try:
            record = decode_json(entry.value, MachineRecord)
        except ValueError:  # of a later version
            return
        is_fresh = abs(self._now() - entry.created.timestamp()) < MISSED * BEAT
        if record.origin != self._source.origin and is_fresh and not record.has_left:
            raise ServerError(
                f'another machine, user or state folder publishes as "{self._machine}": give one of them another name, '
                f"with --machine",
                is_refusal=True,
            )

    async def _send_dirty(self, connection: Connection, bucket: "KeyValue") -> None:
        while self._dirty:
            portion = list(self._dirty)[:AT_ONCE]
            for each in portion:
                del self._dirty[each]
            results = await asyncio.gather(
                *(self._send(connection, bucket, each) for each in portion), return_exceptions=True
            )
            failed = {each: None for each, result in zip(portion, results, strict=True) if result is not None}
            if failed:
                self._dirty |= failed
                raise next(result for result in results if result is not None)

    async def _send(self, connection: Connection, bucket: "KeyValue", session_id: str) -> None:
        data = self._source.encode(session_id)
        if data is not None and len(data) <= connection.client.max_payload:
            await connection.jetstream.publish(self._find_subject(session_id), data)
            self._put[session_id] = time.monotonic()
        elif self._put.pop(session_id, None) is not None:
            await bucket.delete(make_key(self._machine, session_id))

    async def _open_timeline(self, connection: Connection) -> float | None:
        """Returns the time of the newest event that the stream has of this machine; None where there is no stream for us."""
        from nats.js.api import StreamConfig  # noqa: PLC0415  of an extra, which may be absent
        from nats.js.errors import NotFoundError  # noqa: PLC0415

        jetstream = connection.jetstream
        try:
            try:
                await jetstream.stream_info(TIMELINE)
            except NotFoundError:
                await jetstream.add_stream(
                    StreamConfig(
                        name=TIMELINE,
                        subjects=[f"{TIMELINE_SUBJECT}.>"],
                        max_age=KEPT_SECONDS,
                        max_bytes=KEPT_BYTES,
                        max_msgs=KEPT_EVENTS,
                    )
                )
            last = await jetstream.get_last_msg(TIMELINE, f"{TIMELINE_SUBJECT}.{make_key(self._machine)}.*")
            return float(decode_json(last.data or b"{}", dict).get("at", 0.0))
        except NotFoundError:
            return self._now() - OLDEST
        except (ValueError, TypeError):
            return self._now()
        except Exception as error:  # noqa: BLE001  sessions are published without their events
            self._say(f"Timelines are not published: {connection.explain(error)}.")
            return None

    async def _send_events(self, connection: Connection) -> None:
        active, self._active = self._active, {}
        if (until := self._published_until) is None:
            return
        for session_id in active:
            events = [each for each in self._source.read_events(session_id) if each[0] > until]
            subject = f"{TIMELINE_SUBJECT}.{make_key(self._machine, session_id)}"
            for place in range(0, len(events), AT_ONCE):
                portion = events[place : place + AT_ONCE]
                await asyncio.gather(*(connection.jetstream.publish(subject, data) for _, data in portion))
