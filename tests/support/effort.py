"""How much the tests try: a sample in every run, and the whole of it with ATM_TEST_LONG=1."""

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

LONG = os.environ.get("ATM_TEST_LONG") == "1"
"""Whether the tests that draw cases by chance draw twenty times as many, and those with the real client try every case."""


def sample(cases: Iterable[T], *chosen: T) -> list[T]:
    """All cases in a long run, else the chosen ones. Raises AssertionError for a chosen one that is none of the cases."""
    everything = list(cases)
    assert set(chosen) <= set(everything), chosen
    return everything if LONG else list(chosen)


def examples(count: int) -> int:
    """Number of examples of a property: half of `count`, or ten times `count` in a long run."""
    return count * 10 if LONG else (count + 1) // 2
