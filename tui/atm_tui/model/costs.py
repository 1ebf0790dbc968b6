"""Sums costs of which some may be unknown."""

from collections.abc import Iterable


def sum_costs(costs: Iterable[float | None]) -> float | None:
    """Returns the sum of the known costs, in USD; None if none is known."""
    known = [each for each in costs if each is not None]
    return sum(known) if known else None
