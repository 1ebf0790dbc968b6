"""How long a session waited for the user today: overlaps count once, open waits count up to now, yesterday does not count."""

from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atm_tui.model.session import Session
from atm_tui.model.spans import Spans, measure_spans, merge_spans
from atm_tui.model.wait import Wait
from atm_tui.model.waited import measure_wait_today, sum_waits_today

MIDNIGHT = datetime(2026, 11, 28).astimezone().timestamp()
NOW = MIDNIGHT + 10_000


def make_session(*spans: tuple[float, float], waits: tuple[float, ...] = ()) -> Session:
    return Session(
        session_id="s",
        waited=tuple((MIDNIGHT + a, MIDNIGHT + b) for a, b in spans),
        waits=tuple(Wait(key=str(at), since=MIDNIGHT + at) for at in waits),
    )


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (make_session(), 0),
        (make_session((100, 160), (200, 210)), 70),
        (make_session((-50, 20)), 20),
        (make_session((-500, -400)), 0),
        (make_session(waits=(9_900,)), 100),
        (make_session(waits=(9_900, 9_950)), 100),
        (make_session((9_000, 9_950), waits=(9_900,)), 1_000),
        (make_session(waits=(-3_600,)), 10_000),
        (make_session(waits=(10_500,)), 0),
    ],
)
def test_a_session_waited_for_the_union_of_its_waits_since_midnight(given: Session, seconds: float) -> None:
    assert measure_wait_today(given, NOW) == seconds


def test_sums_include_sessions_that_are_gone() -> None:
    at_once = (make_session((100, 160)), make_session((100, 160)))
    gone: tuple[Spans, ...] = (((MIDNIGHT - 10, MIDNIGHT + 5),),)
    assert sum_waits_today(at_once, gone, NOW) == 125


SPANS = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)).map(lambda pair: (float(pair[0]), float(pair[1]))))


@given(SPANS, st.integers(0, 100), st.integers(0, 100))
def test_merged_spans_cover_each_second_that_any_covers(
    spans: list[tuple[float, float]], since: int, until: int
) -> None:
    told = merge_spans(spans)
    covered = {second for a, b in spans for second in range(int(a), int(b))}
    assert {second for a, b in told for second in range(int(a), int(b))} == covered
    assert all(before[1] < after[0] for before, after in pairwise(told))
    assert measure_spans(spans, since, until) == len(covered & set(range(since, until)))
