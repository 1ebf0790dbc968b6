"""What a NATS server has of many machines: in which order it is taken."""

import time

import msgspec

from atm_tui.model.fleet_server import Level
from atm_tui.model.published import MachineRecord, make_key
from atm_tui.model.session import Session, State
from atm_tui.model.stream import PROTOCOL, Hello, SessionLine
from atm_tui.monitor.nats_fleet import Entry, PublishedFleet

NAMES = tuple(f"m{number}" for number in range(5))


def put(machine: str, **fields: object) -> Entry:
    """Returns what is put for a machine; with `fields`, for its session."""
    now = time.time()
    if not fields:
        record = MachineRecord(hello=Hello(protocol=PROTOCOL, at=now), level=Level.FULL)
        return make_key(machine), msgspec.json.encode(record), now
    line = SessionLine(session=msgspec.structs.replace(Session(session_id="s1"), **fields), at=now)
    return make_key(machine, "s1"), msgspec.json.encode(line), now


def test_what_needs_a_person_comes_before_other_changes() -> None:
    fleet = PublishedFleet(time.time, "")
    fleet.begin_listing()
    fleet.read([entry for name in NAMES for entry in (put(name), put(name, turns=1))], 0.0)
    fleet.complete()

    def take(most: int = 1) -> list[str]:
        return [each.machine.name for each in fleet.take(most)[0]]

    assert take(99) == list(NAMES)
    fleet.read([put(name, turns=2) for name in NAMES], 0.0)
    fleet.read([put("m3", turns=2, state=State.NEEDS_YOU)], 0.0)
    assert take() == ["m3"]
    assert take() == ["m0"]
    fleet.read([put("m3", turns=3, state=State.NEEDS_YOU), put("m2", state=State.NEEDS_YOU)], 0.0)
    assert take(2) == ["m3", "m2"]
    fleet.read([put("m3", turns=4), (make_key("m2", "s1"), None, time.time())], 0.0)  # they no longer wait
    assert take(2) == ["m3", "m2"]
    fleet.read([put("m3", turns=5)], 0.0)
    assert take(99) == ["m1", "m4", "m3"]
    assert take(99) == []


def test_what_can_not_be_read_comes_though_nothing_else_differs() -> None:
    fleet = PublishedFleet(time.time, "")
    fleet.begin_listing()
    fleet.read([put("m0")], 0.0)
    fleet.complete()
    fleet.take(99)
    fleet.read([(make_key("m0", "s1"), b"[]", time.time())], 0.0)
    [update], _ = fleet.take(99)
    assert [each.path for each in update.unreadable] == ["s1"]
    fleet.read([(make_key("m0", "s1"), None, time.time())], 0.0)
    [update], _ = fleet.take(99)
    assert update.unreadable == ()
    assert fleet.take(99)[0] == []
