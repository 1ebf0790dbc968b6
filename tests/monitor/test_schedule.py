"""When to read again and how much at once, with fake clocks."""

import pytest

from atm_tui.monitor.schedule import (
    FIRST_PAUSE,
    LEAST_REST,
    NAP,
    REST_FACTOR,
    Interval,
    ReadBudget,
    SleepDetector,
    TurnTaker,
    compute_rest,
    measure_time_until,
)

HOUR = 3600.0


@pytest.mark.parametrize(("took", "rest"), [(0.0, LEAST_REST), (0.001, LEAST_REST), (1.0, REST_FACTOR)])
def test_the_pause_depends_on_the_duration_of_the_refresh(took: float, rest: float) -> None:
    assert compute_rest(took) == rest


@pytest.mark.parametrize(
    ("times", "seconds"),
    [([], None), ([None, None], None), ([103.0], 3.0), ([None, 107.0, 103.0], 3.0), ([90.0, 103.0], 0.0)],
)
def test_the_next_refresh_is_due_at_the_earliest_time(times: list[float | None], seconds: float | None) -> None:
    assert measure_time_until(times, 100.0) == seconds


def test_an_interval_is_due_first_after_its_seconds_and_when_expired() -> None:
    interval = Interval(10.0)
    assert interval.is_due(0.0)
    interval.restart(100.0)
    assert not interval.is_due(109.9)
    assert interval.is_due(110.0)
    interval.restart(110.0)
    interval.expire()
    assert interval.is_due(110.0)


def test_a_sleep_is_detected_when_wall_time_exceeds_the_time_awake() -> None:
    sleep = SleepDetector(now=1000.0, awake=50.0)
    sleep.update(1010.0, 60.0)
    assert sleep.woke_at == 0.0
    sleep.update(1010.0 + HOUR, 60.1)
    assert sleep.woke_at == 1010.0 + HOUR
    sleep.update(1020.0 + HOUR, 70.1)
    assert sleep.woke_at == 1010.0 + HOUR


def test_a_small_or_backward_clock_change_is_not_a_sleep() -> None:
    sleep = SleepDetector(now=1000.0, awake=50.0)
    sleep.update(1010.0 + NAP, 60.0)
    sleep.update(10.0, 70.0)
    assert sleep.woke_at == 0.0


def test_each_key_has_its_turn() -> None:
    turns, keys, picked = TurnTaker(3, 8.0), [str(number) for number in range(7)], []
    for at in (0.0, 0.1, 0.2, 0.3, FIRST_PAUSE):
        picked.append("".join(sorted(turns.pick(keys, at))))
        for key in picked[-1]:
            turns.note(key, at, has_changed=False)
    assert picked == ["012", "345", "6", "", "012"]


def test_what_stays_the_same_is_looked_at_less_often_until_it_changes() -> None:
    turns, looks, at = TurnTaker(9, 4.0), [], 0.0
    for _ in range(40):
        at += 1.0
        if turns.pick(["a"], at):
            looks.append(at)
            turns.note("a", at, has_changed=at == 20.0)
    assert looks == [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 21.0, 23.0, 27.0, 31.0, 35.0, 39.0]


def test_turns_go_on_when_keys_come_and_go() -> None:
    turns = TurnTaker(2, 8.0)
    assert turns.pick(["a", "b", "c"], 1.0) == {"a", "b"}
    for key in "ab":
        turns.note(key, 1.0, has_changed=False)
    assert turns.pick(["b", "c"], 1.0) == {"c"}
    assert turns.pick(["a"], 1.0) == set()
    turns.forget("a")
    assert turns.pick(["a"], 1.0) == {"a"}
    turns.note("a", 1.0, has_changed=False)
    turns.expire()
    assert turns.pick(["a"], 1.0) == {"a"}


def test_a_budget_is_spent_until_the_next_refresh() -> None:
    budget = ReadBudget(100)
    budget.spend(60)
    assert budget.left == 40
    budget.spend(60)
    assert budget.left == 0
    budget.reset()
    assert budget.left == 100


def test_without_a_limit_the_budget_is_never_spent() -> None:
    budget = ReadBudget(None)
    budget.spend(1 << 40)
    assert budget.left is None
