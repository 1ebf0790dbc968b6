"""How much the tests try: a sample in every run, and the whole of it with ATM_TEST_LONG=1."""

import os
from collections.abc import Collection, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")

LONG = os.environ.get("ATM_TEST_LONG") == "1"
"""Whether the tests that draw cases by chance draw twenty times as many, and those with the real client try every case."""


def sample(cases: Iterable[T], *chosen: T) -> list[T]:
    """All cases in a long run, else the chosen ones. Raises AssertionError for a chosen one that is none of the cases."""
    everything = list(cases)
    assert set(chosen) <= set(everything), chosen
    return everything if LONG else list(chosen)


def mark_long(cases: Iterable[str], *, short: Collection[str]) -> list[object]:
    """All cases as parameters, those not in `short` for long runs only. Other than with `sample`, all are collected:
    a case with a picture needs that, or its picture is reported as unused and the run fails.
    """
    everything = list(cases)
    assert set(short) <= set(everything), short
    return [case if case in short else pytest.param(case, marks=pytest.mark.long) for case in everything]


def examples(count: int) -> int:
    """Number of examples of a property: a third of `count`, or ten times `count` in a long run."""
    return count * 10 if LONG else (count + 2) // 3
