"""What another machine sends, read: whole streams, and everything else that may come over a link."""

import json
import random
import tracemalloc
from typing import Any

import msgspec
import pytest

from atm_tui.model.published import MachineRecord
from atm_tui.model.session import Agent, Session, State
from atm_tui.model.stream import PROTOCOL, CompleteLine, FleetLine, HeartbeatLine, Hello, SessionLine
from atm_tui.model.unknown_fields import LARGEST
from atm_tui.sources.published import PublishedMachine
from atm_tui.sources.stream import LONGEST_LINE, MOST_SESSIONS, StreamError, StreamReader
from tests.support.damage import damage_bytes
from tests.support.effort import examples, sample

NOW = 1_790_000_000.0


def encode(*lines: Any) -> bytes:
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def make_session(key: str = "s1", **fields: Any) -> Session:
    return Session(session_id=key, **fields)


HELLO = Hello(protocol=PROTOCOL, at=NOW, version="9.9", machine="gpu")
WHOLE = encode(
    HELLO,
    FleetLine(at=NOW, notices=("hooks are missing",)),
    SessionLine(session=make_session(state=State.WORKING, agents=(Agent(agent_id="a"),)), at=NOW),
    SessionLine(session=make_session("s2"), at=NOW),
    CompleteLine(at=NOW, sessions=2),
    HeartbeatLine(at=NOW),
)


def read(*parts: bytes) -> StreamReader:
    reader = StreamReader()
    for part in parts:
        reader.feed(part, NOW)
    return reader


def test_a_whole_stream_in_any_pieces() -> None:
    for size in (1, 7, len(WHOLE)):
        reader = read(*(WHOLE[at : at + size] for at in range(0, len(WHOLE), size)))
        assert reader.is_complete
        assert set(reader.sessions) == {"s1", "s2"}
        assert reader.sessions["s1"].state is State.WORKING
        assert reader.fleet.notices == ("hooks are missing",)


def test_a_greeting_of_the_shell_before_it_is_skipped() -> None:
    assert read(b"Welcome to gpu!\n\x1b[2J{not json\n[1]\n\n", WHOLE).is_complete


def test_changes_and_removals() -> None:
    reader = read(WHOLE)
    reader.changed.clear()
    assert not reader.feed(encode(HeartbeatLine(at=NOW)), NOW)
    assert reader.feed(encode(SessionLine(session=make_session("s2", turns=3), change="figures", at=NOW)), NOW)
    assert not reader.feed(encode(SessionLine(session=make_session("s2", turns=3), change="figures", at=NOW)), NOW)
    assert reader.feed(encode(SessionLine(session=make_session("s1"), change="removed", at=NOW)), NOW)
    assert (reader.changed, set(reader.sessions)) == ({"s1", "s2"}, {"s2"})


@pytest.mark.parametrize("at", [0.0, -1e300, 1e18, 1e300])
def test_a_time_that_no_clock_shows_measures_no_clock(at: float) -> None:
    assert read(encode(Hello(protocol=PROTOCOL, at=at), HeartbeatLine(at=at))).ahead is None
    there = PublishedMachine()
    there.take_record(encode(MachineRecord(hello=Hello(protocol=PROTOCOL, at=at))), NOW)
    there.take_session("s1", encode(SessionLine(session=make_session(), at=at)), NOW)
    assert there.ahead == 0.0


@pytest.mark.parametrize(("protocol", "what"), [(PROTOCOL + 1, "update atm-tui here"), (0, "update atm-tui there")])
def test_another_protocol_is_refused_with_what_to_update(protocol: int, what: str) -> None:
    with pytest.raises(StreamError, match=what) as caught:
        read(encode(Hello(protocol=protocol)))
    assert caught.value.is_final


def test_unknown_fields_and_kinds_of_a_later_version_do_no_harm() -> None:
    later = json.loads(encode(SessionLine(session=make_session("s3"), change="new", at=NOW)))
    later["session"]["colour_of_mood"] = {"deep": [1]}
    later["weather"] = "sunny"
    reader = read(WHOLE, json.dumps(later).encode() + b"\n", b'{"change":"weather","at":1.0}\n')
    assert "s3" in reader.sessions
    assert reader.unknown == {"s3": {"weather": "sunny", "session": {"colour_of_mood": {"deep": [1]}}}}
    reader.changed.clear()
    later["session"]["colour_of_mood"] = "blue"
    assert reader.feed(json.dumps(later).encode() + b"\n", NOW)
    assert reader.changed == {"s3"}
    later["session"]["colour_of_mood"] = "x" * LARGEST
    reader.feed(json.dumps(later).encode() + b"\n", NOW)
    assert reader.unknown == {}


def test_a_session_that_can_not_be_read_is_named_and_the_others_stay() -> None:
    line = json.loads(encode(SessionLine(session=make_session("s3"), change="new", at=NOW)))
    line["session"]["state"] = "levitating"
    reader = read(WHOLE, json.dumps(line).encode() + b"\n")
    assert "levitating" in reader.unreadable["s3"].problem
    assert set(reader.sessions) == {"s1", "s2"}


@pytest.mark.parametrize("key", ["../../etc/passwd", "", "a/b", "x" * 500, "\x1b[31m", "-rf", "a:b"])
def test_an_id_that_stands_for_a_path_or_more_is_refused(key: str) -> None:
    reader = read(WHOLE, encode(SessionLine(session=make_session(key), change="new", at=NOW)))
    assert set(reader.sessions) == {"s1", "s2"}
    assert len(reader.unreadable) == 1


def test_the_clock_is_measured() -> None:
    reader = StreamReader()
    reader.feed(encode(Hello(protocol=PROTOCOL, at=NOW + 3600)), NOW)
    assert reader.ahead == 3600
    reader.feed(encode(HeartbeatLine(at=NOW - 60), HeartbeatLine(at=NOW - 59.5)), NOW)
    assert reader.ahead == -59.5


def feed_much(reader: StreamReader, piece: bytes, total: int) -> None:
    for _ in range(total // len(piece)):
        reader.feed(piece, NOW)


@pytest.mark.parametrize("begin", sample([b"", WHOLE], WHOLE), ids=lambda begin: "later" if begin else "first")
def test_a_line_without_end_is_cut_off_long_before_it_fills_the_memory(begin: bytes) -> None:
    reader = read(begin) if begin else StreamReader()
    tracemalloc.start()
    try:
        with pytest.raises(StreamError, match="no stream"):
            feed_much(reader, b"x" * (1 << 16), 1 << 30)
        assert tracemalloc.get_traced_memory()[1] < 4 * LONGEST_LINE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("begin", [b"", WHOLE], ids=["first", "later"])
def test_garbage_is_named_and_clean(begin: bytes) -> None:
    reader = read(begin) if begin else StreamReader()
    with pytest.raises(StreamError, match="something else") as caught:
        feed_much(reader, b"\x1b]52;c;eA==\x07garbage \xff\x00\n" * 100, 1 << 30)
    assert "\x1b" not in str(caught.value)


def test_too_many_sessions_are_refused() -> None:
    one = encode(SessionLine(session=make_session("n0"), change="new", at=NOW))
    many = b"".join(one.replace(b'"n0"', b'"n%d"' % n) for n in range(MOST_SESSIONS))
    reader = read(WHOLE)
    with pytest.raises(StreamError, match=str(MOST_SESSIONS)):
        reader.feed(many, NOW)


def test_damaged_streams_end_in_values_or_a_stream_error() -> None:
    dice = random.Random(5)
    for _ in range(examples(200)):
        reader = StreamReader()
        try:
            reader.feed(damage_bytes(WHOLE, dice), NOW)
            reader.feed(WHOLE, NOW)
        except StreamError as error:
            assert str(error)  # noqa: PT017
    assert reader.hello is not None
