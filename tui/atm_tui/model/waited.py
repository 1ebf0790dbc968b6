"""Measures how long sessions waited for a person today. Pure.

Waits of one session at the same time count once. The times of several sessions are added up.
"""

from collections.abc import Iterable

from atm_tui.model.session import Session
from atm_tui.model.spans import Spans, find_midnight, measure_spans


def measure_wait_today(session: Session, now: float) -> float:
    """Returns the seconds since local midnight in which the session waited; open waits count up to `now` (epoch seconds)."""
    return _measure_wait(session, find_midnight(now), now)


def sum_waits_today(sessions: Iterable[Session], gone: Iterable[Spans], now: float) -> float:
    """Returns the same summed over sessions. `gone`: the waits of sessions that are no longer listed."""
    since = find_midnight(now)
    listed = sum(_measure_wait(session, since, now) for session in sessions)
    return listed + sum(measure_spans(spans, since, now) for spans in gone)


def _measure_wait(session: Session, since: float, now: float) -> float:
    if not session.waited and not session.waits:
        return 0.0
    return measure_spans([*session.waited, *((wait.since, now) for wait in session.waits)], since, now)
