"""Spans of time, and where the user's day begins. Times are epoch seconds. Pure."""

from collections.abc import Iterable
from datetime import datetime, timedelta

Spans = tuple[tuple[float, float], ...]
"""Begin and end of each span, oldest first; no two of them touch."""


def find_midnight(now: float, days_before: int = 0) -> float:
    """Returns the local midnight (epoch seconds) at which the day of `now`, or some days before it, began."""
    day = datetime.fromtimestamp(now).astimezone().date() - timedelta(days=days_before)
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


def merge_spans(spans: Iterable[tuple[float, float]]) -> Spans:
    """Returns spans that cover the same time and don't touch, oldest first; empty ones are left out."""
    found: list[tuple[float, float]] = []
    for since, until in sorted(span for span in spans if span[1] > span[0]):
        if found and since <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], until))
        else:
            found.append((since, until))
    return tuple(found)


def measure_spans(spans: Iterable[tuple[float, float]], since: float, until: float) -> float:
    """Returns the seconds that the spans cover between two times; overlaps count once."""
    return sum(end - begin for begin, end in merge_spans((max(a, since), min(b, until)) for a, b in spans))
