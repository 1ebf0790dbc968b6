"""Fetches the events of one session that its machine has published into the stream of timelines."""

from collections import deque
from contextlib import suppress
from typing import Any

import msgspec

from atm_tui.model.decoding import decode_json
from atm_tui.model.published import TIMELINE, TIMELINE_SUBJECT, make_key
from atm_tui.model.stream_commands import TimelineResult
from atm_tui.monitor.nats_server import PATIENCE, Connection

MOST = 4000
"""Events that are kept of one session, the newest."""


async def fetch_events(
    connection: Connection, machine: str, session_id: str, begin: int, count: str, name: str
) -> TimelineResult:
    """Returns the events after `begin`, as the result before had it, if that was counted under this `name`; else all there are.

    Raises ServerError.
    """
    after = begin if begin >= 0 and count == name else 0
    try:
        found, last = await _read(connection, f"{TIMELINE_SUBJECT}.{make_key(machine, session_id)}", after)
    except Exception as error:
        raise connection.explain(error) from error
    return TimelineResult(events=tuple(found), begin=last - len(found), total=last, count=name)


async def _read(connection: Connection, subject: str, after: int) -> tuple[deque[Any], int]:
    """Returns the events with a number above `after`, and the number of the last one."""
    from nats.js.api import ConsumerConfig, DeliverPolicy  # noqa: PLC0415  of an extra, which may be absent
    from nats.js.errors import NotFoundError  # noqa: PLC0415

    found: deque[Any] = deque(maxlen=MOST)
    config = ConsumerConfig()
    if after:
        config = ConsumerConfig(deliver_policy=DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=after + 1)
    try:
        subscription = await connection.jetstream.subscribe(
            subject, stream=TIMELINE, config=config, ordered_consumer=True
        )
    except NotFoundError:  # no machine has published events
        return found, after
    try:
        info = await subscription.consumer_info()
        is_left = bool(info.num_pending) or (info.delivered is not None and info.delivered.consumer_seq > 0)
        while is_left:
            message = await subscription.next_msg(timeout=PATIENCE)
            metadata = message.metadata
            after, is_left = metadata.sequence.stream, metadata.num_pending > 0
            with suppress(msgspec.MsgspecError, ValueError, RecursionError):
                found.append(decode_json(message.data, dict[str, Any]))
    finally:
        await subscription.unsubscribe()
    return found, after
