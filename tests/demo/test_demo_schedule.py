"""When lines are played: once before the opening, then in every round, until the last one."""

from atm_tui.demo.scenario import PERIOD, Head, Line, Track
from atm_tui.demo.schedule import Schedule

HEAD = Head(session="s", cwd="/", model="m", window=1, started=-200, name="n", entrypoint="cli")


def make_track(*times: float) -> Track:
    return Track(head=HEAD, lines=tuple(Line(t=t, kind="hook") for t in times))


def play_due(schedule: Schedule, at: float) -> list[tuple[float, int]]:
    return [(step.at, step.round) for step in schedule.pop_due(at)]


def test_the_first_round_lies_before_the_opening() -> None:
    schedule = Schedule([make_track(-300, 10)], rounds=2)
    assert play_due(schedule, 0) == [(-300, 0), (10 - PERIOD, 0)]
    assert schedule.next_at == 10


def test_due_lines_are_returned_once_and_in_order_across_tracks() -> None:
    schedule = Schedule([make_track(10, 30), make_track(20)], rounds=1)
    play_due(schedule, 0)
    assert play_due(schedule, 9.9) == []
    assert play_due(schedule, 25) == [(10, 1), (20, 1)]
    assert play_due(schedule, 25) == []
    assert play_due(schedule, 1e9) == [(30, 1)]
    assert schedule.next_at is None


def test_whatever_a_round_leaves_open_is_closed_in_the_next() -> None:
    schedule = Schedule([make_track(10, PERIOD + 5)], rounds=2)
    assert play_due(schedule, 0) == [(10 - PERIOD, 0)]
    assert play_due(schedule, 1e9) == [(5, 0), (10, 1), (PERIOD + 5, 1), (PERIOD + 10, 2), (2 * PERIOD + 5, 2)]


def test_lines_at_the_same_time_keep_their_order() -> None:
    schedule = Schedule([make_track(10, 10), make_track(10)], rounds=0)
    assert [step.track for step in schedule.pop_due(1e9)] == [0, 0, 1]
