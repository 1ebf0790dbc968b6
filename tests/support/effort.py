"""How much the tests try: a sample in every run, and the whole of it with ATM_TEST_LONG=1."""

import os

LONG = os.environ.get("ATM_TEST_LONG") == "1"
"""Whether the tests that draw cases by chance draw ten times as many, and the walk with the real client goes fifty steps."""


def examples(count: int) -> int:
    """Number of examples of a property: `count`, or ten times as many in a long run."""
    return count * 10 if LONG else count
