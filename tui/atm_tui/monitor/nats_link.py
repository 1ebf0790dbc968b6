"""The link to a NATS server: watches the bucket into which many machines put their sessions, and tries again when it ends.

It has a thread of its own. Of what comes within a moment only the newest state of each key is read, and reading pauses
between portions, so that neither a fleet nor a mad machine holds up the screen.
"""

import asyncio
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from atm_tui.model.decoding import convert
from atm_tui.model.fleet_server import FleetServer
from atm_tui.model.published import BUCKET
from atm_tui.monitor.asking import AskError
from atm_tui.monitor.link import FIRST_PAUSE, LONGEST_PAUSE, STEADY, LinkUpdate
from atm_tui.monitor.nats_fleet import PublishedFleet
from atm_tui.monitor.nats_server import Connection, ServerError, connect, make_origin

if TYPE_CHECKING:
    from nats.aio.msg import Msg

T = TypeVar("T")

NO_BUCKET_PAUSE = 2.0
"""Seconds between two looks for the bucket while there is none."""
MOMENT = 0.05
"""Seconds for which what comes is collected before it is read."""
PORTION = 100
"""Records that are read before other threads get their turn."""
REST = 0.002
"""Seconds between two portions."""
TICK = 1.0
"""Seconds between two looks at what has grown old."""
QUIET = 20.0
"""Seconds without a word of any machine after which it is checked whether the bucket is still there."""
ANSWER = 15.0
"""Seconds to wait for the events of a session."""
MOST_ASKING = 4
"""Threads that wait for the server at the same time; the others wait for them."""
MOST_AT_ONCE = 600
"""Sessions that one `take` returns, about; the others follow with the next."""


def make_link(
    server: FleetServer, state_dir: Path, now: Callable[[], float], on_change: Callable[[], None]
) -> "NatsLink":
    """Makes the link of the user with this state folder to a server; the other arguments are as in NatsLink."""
    return NatsLink(server, now, on_change, origin=make_origin(state_dir))


class NatsLink:
    """The link to one server. `start` it, then call `take` whenever `on_change` was called."""

    def __init__(
        self, server: FleetServer, now: Callable[[], float], on_change: Callable[[], None], *, origin: str = ""
    ) -> None:
        """`now`: the wall clock in epoch seconds. `on_change` is called in the thread of the link.

        `origin`: that of this machine, whose sessions are here already.
        """
        self.server = server
        self._now = now
        self._on_change = on_change
        self._fleet = PublishedFleet(now, origin)
        self._stop = threading.Event()
        self._settled = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._raw: dict[str, tuple[bytes | None, float]] = {}
        """The newest of each key that is not read yet, None if it was deleted, and when it was put by the server's clock."""
        self._wake = asyncio.Event()
        self._is_listing = True
        self._end_listing = False
        """Whether everything that was in the bucket when it was opened has come, and is read with the next portion."""
        self._aheads: deque[float] = deque(maxlen=32)
        """Seconds by which the server's clock is ahead of ours, at least, by what came last."""
        self._connection: Connection | None = None
        self._asking = threading.BoundedSemaphore(MOST_ASKING)
        self._thread = threading.Thread(target=self._run, name="link to NATS", daemon=True)

    def start(self) -> None:
        """Begins to connect."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the link."""
        self._stop.set()
        if (loop := self._loop) is not None:
            with suppress(RuntimeError):  # it has ended already
                loop.call_soon_threadsafe(self._wake.set)

    def join(self, timeout: float) -> None:
        """Waits until the thread has ended, at most `timeout` seconds."""
        self._thread.join(timeout)

    def wait_settled(self, timeout: float) -> bool:
        """Returns whether everything is listed, or the first try has failed, within `timeout` seconds."""
        return self._settled.wait(timeout)

    @property
    def notices(self) -> tuple[str, ...]:
        """What is wrong with the server and the bucket, in sentences."""
        return self._fleet.list_notices(self.server.describe()) if self._settled.is_set() else ()

    def ask(self, name: str, command: str, kind: type[T], **fields: Any) -> T:
        """As Asker.ask, of a machine by its name: only for events, which are in the server. Blocks. Raises AskError."""
        loop, connection = self._loop, self._connection
        if command != "timeline":
            raise AskError(
                f"{name} is known through NATS alone: set `hosts.{name}` in the configuration,"
                f" and give a command --host {name} as well"
            )
        if loop is None or connection is None:
            raise AskError("there is no link to the NATS server")
        from atm_tui.monitor.nats_events import fetch_events  # noqa: PLC0415  rarely needed

        begin, count = int(fields["begin"]), str(fields["count"])
        with self._asking:
            fetching = fetch_events(connection, name, str(fields["session_id"]), begin, count, f"{id(connection):x}")
            future = asyncio.run_coroutine_threadsafe(fetching, loop)
            try:
                found = future.result(ANSWER)
            except ServerError as error:
                raise AskError(str(error)) from error
            except (TimeoutError, CancelledError) as error:
                future.cancel()
                raise AskError("the NATS server did not reply in time") from error
        return convert(found, kind)

    def take(self, most: int = MOST_AT_ONCE) -> list[LinkUpdate]:
        """Returns what changed since the last call, by machine; after `most` sessions the rest is left for the next call."""
        found, is_more = self._fleet.take(most)
        if is_more:
            self._on_change()
        return found

    # The thread

    def _run(self) -> None:
        asyncio.run(self._keep_linked())

    async def _keep_linked(self) -> None:
        self._loop = asyncio.get_running_loop()
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            began = time.monotonic()
            error = await self._link()
            if self._stop.is_set():
                return
            is_steady = time.monotonic() - began > STEADY and not self._is_listing
            pause = FIRST_PAUSE if is_steady else pause
            rest = pause * random.uniform(0.8, 1.2)  # noqa: S311  no secret
            pause = min(2 * pause, LONGEST_PAUSE)
            self._set_problem(str(error), self._now() + rest)
            await self._rest(rest)
            self._set_problem(self._fleet.problem, None)

    async def _link(self) -> ServerError:
        """Connects and follows until the connection ends; returns why it did."""
        try:
            connection = await connect(self.server, "atm-tui")
        except ServerError as error:
            return error
        self._connection = connection
        following = asyncio.create_task(self._follow(connection))
        closed = asyncio.create_task(connection.closed.wait())
        try:
            await asyncio.wait([following, closed], return_when=asyncio.FIRST_COMPLETED)
            if not following.done():
                return connection.explain()
            return following.result() or connection.explain()
        except ServerError as error:
            return error
        except Exception as error:  # noqa: BLE001  whatever nats-py raises
            return connection.explain(error)
        finally:
            self._connection = None
            for task in (following, closed):
                task.cancel()
            await asyncio.gather(following, closed, return_exceptions=True)
            with suppress(Exception):
                await connection.close()

    async def _follow(self, connection: Connection) -> ServerError | None:
        """Follows the bucket until it is to stop. Raises ServerError."""
        while (bucket := await connection.open_bucket()) is None:
            self._set_problem(f"there is no bucket {BUCKET} in it yet: no machine has published", None)
            await self._rest(NO_BUCKET_PAUSE)
            if self._stop.is_set():
                return None
        from nats.js.api import DeliverPolicy  # noqa: PLC0415  of an extra, which may be absent

        ttl = (await bucket.status()).ttl or 0.0
        self._raw = {}
        self._fleet.begin_listing()
        self._is_listing, self._end_listing = True, False
        subscription = await connection.jetstream.subscribe(
            f"$KV.{BUCKET}.>",
            stream=f"KV_{BUCKET}",
            cb=self._note,
            ordered_consumer=True,
            deliver_policy=DeliverPolicy.LAST_PER_SUBJECT,
        )
        info = await subscription.consumer_info()
        self._aheads.clear()
        made = await connection.find_consumer_time(f"KV_{BUCKET}", info.name)
        self._aheads.append(made - self._now())  # it was made just now, by the server's clock
        if info.num_pending == 0 and info.delivered is not None and info.delivered.consumer_seq == 0:
            self._end_listing = True
        looked = heard = time.monotonic()
        while not self._stop.is_set():
            await self._rest(TICK)
            if self._raw:
                await asyncio.sleep(MOMENT)
                heard = time.monotonic()
            await self._read_raw()
            now = time.monotonic()
            if now - looked >= TICK:
                looked = now
                if self._fleet.grow_old(ttl):
                    self._on_change()
            if now - heard >= QUIET:
                heard = now
                await subscription.consumer_info()  # fails when the bucket was removed, of which no message comes
        return None

    async def _note(self, message: "Msg") -> None:
        """Takes a message of the bucket, in the order of the server."""
        metadata = message.metadata
        put = metadata.timestamp.timestamp()
        operation = (message.headers or {}).keys() & {"KV-Operation", "Nats-Marker-Reason"}
        self._raw[message.subject.removeprefix(f"$KV.{BUCKET}.")] = (None if operation else message.data, put)
        if metadata.num_pending == 0:
            self._end_listing = True
        if not self._is_listing:
            self._aheads.append(put - self._now())
        self._wake.set()

    async def _rest(self, seconds: float) -> None:
        """Waits so long, or until something comes, or the link is to stop."""
        if self._stop.is_set():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self._wake.clear()

    async def _read_raw(self) -> None:
        ends, self._end_listing = self._end_listing, False
        raw, self._raw = self._raw, {}
        entries = [(key, data, put) for key, (data, put) in raw.items()]
        for place in range(0, len(entries), PORTION):
            self._fleet.read(entries[place : place + PORTION], max(self._aheads))
            self._on_change()
            await asyncio.sleep(REST)
        if ends and self._is_listing:
            self._is_listing = False
            self._fleet.complete()
            self._settled.set()
            self._on_change()

    def _set_problem(self, problem: str, retry_at: float | None) -> None:
        self._fleet.set_problem(problem, retry_at)
        self._settled.set()
        self._on_change()
