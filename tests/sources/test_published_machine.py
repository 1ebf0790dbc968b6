"""What one machine has put into the bucket of a NATS server, read."""

import json

import msgspec

from atm_tui.model.fleet_server import Level
from atm_tui.model.published import MachineRecord
from atm_tui.model.session import Session, Unreadable
from atm_tui.model.stream import PROTOCOL, FleetLine, Hello, SessionLine
from atm_tui.sources.published import PublishedMachine
from atm_tui.sources.stream import MOST_UNREADABLE

NOW = 1_790_000_000.0
RECORD = msgspec.json.encode(MachineRecord(hello=Hello(protocol=PROTOCOL, at=NOW), level=Level.FULL))
LINE = msgspec.json.encode(SessionLine(session=Session(session_id="s1"), at=NOW))


def test_fields_of_a_later_version_are_kept_until_they_are_gone() -> None:
    there = PublishedMachine()
    record, line = json.loads(RECORD), json.loads(LINE)
    record["rack"] = record["hello"]["room"] = "b7"
    line["session"]["mood"] = "calm"
    there.take_record(json.dumps(record).encode(), NOW)
    there.take_session("s1", json.dumps(line).encode(), NOW)
    assert there.record_unknown == {"rack": "b7", "hello": {"room": "b7"}}
    assert there.unknown == {"s1": {"session": {"mood": "calm"}}}
    there.changed.clear()
    there.take_session("s1", LINE, NOW)
    there.take_record(RECORD, NOW)
    assert (there.unknown, there.record_unknown, there.changed) == ({}, {}, {"s1"})
    there.take_session("s1", json.dumps(line).encode(), NOW)
    there.drop_session("s1")
    assert not there.unknown


def test_files_that_can_not_be_read_there_are_named_in_bounds() -> None:
    there = PublishedMachine()
    assert there.list_unreadable() == ()
    files = tuple(Unreadable(path=f"s{number}.json" + "x" * 999, problem="no JSON") for number in range(99))
    record = MachineRecord(hello=Hello(protocol=PROTOCOL, at=NOW), level=Level.FULL, fleet=FleetLine(unreadable=files))
    there.take_record(msgspec.json.encode(record), NOW)
    there.take_session("s1", b"[]", NOW)
    *files_there, session = there.list_unreadable()
    assert len(files_there) == MOST_UNREADABLE
    assert files_there[0].path.startswith("s0.json")
    assert max(len(each.path) for each in files_there) == 200
    assert session.path == "s1"
