"""What gives a notification: what begins, once, unless something keeps it back."""

import msgspec
import pytest

from atm_tui.model.notification import Condition, NotifyReason
from atm_tui.notify.due import KEEP, Circumstances, Memory, find_due, make_notification

START = 1000.0
FREE = Circumstances()
STARTED = find_due(Memory(started_at=START), (), FREE, START).memory


def make_condition(name: str = "a", *, since: float = 1010.0, reason: NotifyReason = NotifyReason.FAILED) -> Condition:
    return Condition(key=f"{name} {since}", reason=reason, text=f"{name} {reason}", since=since, session_id=name[0])


ASKS = make_condition(reason=NotifyReason.NEEDS_YOU)


@pytest.mark.parametrize(
    ("memory", "holding", "circumstances", "now", "texts"),
    [
        (STARTED, (make_condition(),), FREE, 1010.0, ["a failed"]),
        (STARTED, (make_condition("a"), make_condition("b")), FREE, 1010.0, ["a failed", "b failed"]),
        (STARTED, (make_condition(),), Circumstances(is_silent=True), 1010.0, []),
        (
            STARTED,
            (make_condition("a"), make_condition("b")),
            Circumstances(focused=frozenset("a")),
            1010.0,
            ["b failed"],
        ),
        (STARTED, (make_condition(since=999.0),), FREE, 1010.0, []),
        (Memory(started_at=START), (make_condition(since=0.0),), FREE, 1000.0, []),
        (STARTED, (ASKS,), FREE, 1010.5, []),
        (STARTED, (ASKS,), FREE, 1011.0, ["a needs_you"]),
    ],
    ids=[
        "edge",
        "several",
        "silent",
        "focus",
        "before the start",
        "at the start",
        "for less than a second",
        "for a second",
    ],
)
def test_a_new_condition_gives_a_notification(
    memory: Memory, holding: tuple[Condition, ...], circumstances: Circumstances, now: float, texts: list[str]
) -> None:
    assert [each.text for each in find_due(memory, holding, circumstances, now).conditions] == texts


@pytest.mark.parametrize("first", [FREE, Circumstances(is_silent=True), Circumstances(focused=frozenset("a"))])
def test_a_condition_that_persists_or_returns_gives_no_second_notification(first: Circumstances) -> None:
    memory = find_due(STARTED, (make_condition(),), first, 1010.0).memory
    for now, holding in ((1020.0, (make_condition(),)), (1030.0, ()), (1040.0, (make_condition(),))):
        due = find_due(memory, holding, FREE, now)
        memory = due.memory
        assert (due.conditions, due.next_at) == ((), None)


def test_a_condition_during_the_cooldown_is_notified_afterwards_if_it_persists() -> None:
    cooldown = Circumstances(cooldown=30.0)
    again, other = make_condition(since=1020.0), make_condition("b", since=1020.0)
    first = find_due(STARTED, (make_condition(),), cooldown, 1010.0)
    second = find_due(first.memory, (again, other), cooldown, 1020.0)
    assert (second.conditions, second.next_at) == ((other,), 1040.0), "the other session has its own cooldown"
    assert find_due(second.memory, (again, other), cooldown, 1040.0).conditions == (again,)
    assert find_due(second.memory, (other,), cooldown, 1040.0).conditions == ()


def test_the_memory_stays_small() -> None:
    memory = find_due(STARTED, tuple(make_condition(f"a{n}") for n in range(100)), FREE, 1010.0).memory
    after = find_due(memory, (), FREE, 1010.0 + KEEP).memory
    assert (after.known, after.notified) == ({}, {})


def test_several_conditions_are_one_notification() -> None:
    assert make_notification(()) is None
    one = make_notification((make_condition(),))
    assert one is not None
    assert (one.title, one.body, one.session_ids) == ("a failed", "", ("a",))
    asking = [msgspec.structs.replace(ASKS, session_id=str(n), text=f"{n} asks") for n in range(5)]
    many = make_notification(asking)
    assert many is not None
    assert (many.title, many.body) == ("5 sessions need you", "0 asks\n1 asks\n2 asks\n2 more")
    assert len(many.session_ids) == 5
