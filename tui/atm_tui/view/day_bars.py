"""Sums spending into the bars of a plot: by day or, within one day, by hour."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from atm_tui.cost.pricing import PriceTable
from atm_tui.cost.report import Span
from atm_tui.cost.usage import price_bucket
from atm_tui.model.tokens import Bucket

Bars = Sequence[tuple[str, float]]
"""Label and USD of each bar, oldest first."""


def sum_bars(buckets: Iterable[Bucket], table: PriceTable, span: Span, now: float) -> Bars:
    """Returns the USD of each day of a span, or of each hour when it is one day; 0 where nothing was spent."""
    last = datetime.fromtimestamp(now).astimezone().date() - timedelta(days=span.ago)
    days = [last - timedelta(days=n) for n in range(span.days - 1, -1, -1)]
    hourly = span.days == 1
    sums: dict[object, float] = dict.fromkeys(range(24) if hourly else days, 0.0)
    for bucket in buckets:
        if bucket.slot is None:
            continue
        when = datetime.fromtimestamp(bucket.slot).astimezone()
        key = when.hour if hourly else when.date()
        if when.date() in days:
            sums[key] += price_bucket(bucket, table) or 0.0
    if hourly:
        return [(f"{hour}h", sums[hour]) for hour in range(24)]
    return [(f"{day:%a}" if span.days <= 7 else f"{day.day} {day:%b}", sums[day]) for day in days]
