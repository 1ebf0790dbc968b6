"""What gives a notification: what begins, once, unless something keeps it back."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.model.notification import Condition, NotifyReason
from atm_tui.notify.due import KEEP, LONGEST_GATHERING, SETTLE, Circumstances, Due, Memory, find_due, make_notification
from tests.support.effort import examples

START = 1000.0
FREE = Circumstances()
STARTED = find_due(Memory(started_at=START), (), FREE, START).memory


def make_condition(name: str = "a", *, since: float = 1010.0, reason: NotifyReason = NotifyReason.FAILED) -> Condition:
    return Condition(key=f"{name} {since}", reason=reason, text=f"{name} {reason}", since=since, session_id=name[0])


ASKS = make_condition(reason=NotifyReason.NEEDS_YOU)


@pytest.mark.parametrize(
    ("memory", "holding", "circumstances", "now", "texts"),
    [
        (STARTED, (make_condition(),), FREE, 1011.0, ["a failed"]),
        (STARTED, (make_condition("a"), make_condition("b")), FREE, 1011.0, ["a failed", "b failed"]),
        (STARTED, (make_condition(),), Circumstances(is_silent=True), 1011.0, []),
        (
            STARTED,
            (make_condition("a"), make_condition("b")),
            Circumstances(focused=frozenset("a")),
            1011.0,
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
    memory = find_due(STARTED, (make_condition(),), first, 1011.0).memory
    for now, holding in ((1020.0, (make_condition(),)), (1030.0, ()), (1040.0, (make_condition(),))):
        due = find_due(memory, holding, FREE, now)
        memory = due.memory
        assert (due.conditions, due.next_at) == ((), None)


def test_a_condition_during_the_cooldown_is_notified_afterwards_if_it_persists() -> None:
    cooldown = Circumstances(cooldown=30.0)
    again, other = make_condition(since=1020.0), make_condition("b", since=1020.0)
    first = find_due(STARTED, (make_condition(),), cooldown, 1011.0)
    second = find_due(first.memory, (again, other), cooldown, 1021.0)
    assert (second.conditions, second.next_at) == ((other,), 1041.0), "the other session has its own cooldown"
    assert find_due(second.memory, (again, other), cooldown, 1041.0).conditions == (again,)
    assert find_due(second.memory, (other,), cooldown, 1041.0).conditions == ()


def test_a_clock_that_is_set_back_ends_the_cooldown() -> None:
    cooldown = Circumstances(cooldown=30.0)
    first = find_due(msgspec.structs.replace(STARTED, started_at=0.0), (make_condition(),), cooldown, 1011.0)
    again = make_condition(since=500.0)
    assert find_due(first.memory, (again,), cooldown, 501.0).conditions == (again,)


def follow(begins: list[float], *, sees: float = 0.1) -> list[tuple[float, int]]:
    """Conditions of several sessions begin at these times, and each is seen a little later.

    Returns when notifications are given, and about how many conditions.
    """
    conditions = [make_condition(f"{number}", since=1010.0 + begun) for number, begun in enumerate(begins)]
    memory, now, found = STARTED, 1010.0, list[tuple[float, int]]()
    while len(conditions) > sum(count for _, count in found):
        due = find_due(memory, [each for each in conditions if each.since + sees <= now], FREE, now)
        memory = due.memory
        if due.conditions:
            found.append((round(now - 1010.0, 2), len(due.conditions)))
        changes = [each.since + sees for each in conditions if each.since + sees > now]
        now = min([*changes, *([due.next_at] if due.next_at else [])], default=now)
    return found


@pytest.mark.parametrize(
    ("begins", "notified"),
    [
        ([0.0], [(1.0, 1)]),
        ([0.0, 0.3], [(1.3, 2)]),
        ([0.0, 0.3, 0.85], [(1.85, 3)]),
        ([0.0, 0.5, 1.0, 1.5], [(2.0, 3), (2.5, 1)]),
        ([0.0, 5.0], [(1.0, 1), (6.0, 1)]),
    ],
)
def test_what_begins_shortly_after_one_another_gives_one_notification(
    begins: list[float], notified: list[tuple[float, int]]
) -> None:
    assert follow(begins) == notified


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.floats(0, 10).map(lambda at: round(at, 2)), min_size=1, max_size=12))
def test_no_notification_is_late_and_none_comes_twice(begins: list[float]) -> None:
    conditions = follow(sorted(begins))
    assert sum(count for _, count in conditions) == len(begins)
    ends = sorted(begins)
    for at, count in conditions:
        first, ends = ends[0], ends[count:]
        assert at - first <= SETTLE + LONGEST_GATHERING + 0.02


def test_a_condition_that_is_found_late_gives_one_at_once_and_one_without_a_start_after_a_moment() -> None:
    late, timeless = make_condition("a", since=1010.0), make_condition("b", since=0.0, reason=NotifyReason.LIMIT)
    found = find_due(STARTED, (late, timeless), FREE, 1060.0)
    assert (found.conditions, found.next_at) == ((late,), 1061.0)
    assert find_due(found.memory, (late, timeless), FREE, 1061.0).conditions == (timeless,)


def test_a_clock_that_was_set_back_delays_nothing() -> None:
    ahead = make_condition(since=5000.0)
    found: Due = find_due(STARTED, (ahead,), FREE, 1010.0)
    assert (found.conditions, found.next_at) == ((), 1011.0)
    assert find_due(found.memory, (ahead,), FREE, 1011.0).conditions == (ahead,)


def test_the_memory_stays_small() -> None:
    memory = find_due(STARTED, tuple(make_condition(f"a{n}") for n in range(100)), FREE, 1011.0).memory
    assert (len(memory.known), memory.begun) == (100, {})
    after = find_due(memory, (), FREE, 1011.0 + KEEP).memory
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
