"""Searches requests for the user's own patterns, with a time limit for patterns that would take forever."""

import re
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regex import Pattern

SECONDS = 1.0
"""Most seconds for all patterns on one request."""


class PatternError(ValueError):
    """A text is not a regular expression; the message says why."""


def compile_pattern(text: str) -> "Pattern[str]":
    """Compiles a pattern whose search can have a time limit. Raises PatternError."""
    # Imported only if there are patterns: most users have none.
    import regex  # noqa: PLC0415

    try:
        re.compile(text)  # the configuration documents only the syntax of the standard library
        return regex.compile(text)
    except (re.error, regex.error) as error:
        raise PatternError(str(error)) from error


def find_matches(patterns: Iterable["Pattern[str]"], texts: Sequence[str], seconds: float = SECONDS) -> list[str]:
    """Returns reasons to ask twice: patterns that match one of the texts, or were not finished within `seconds`."""
    until = time.monotonic() + seconds
    reasons = []
    for pattern in patterns:
        try:
            if any(_search(pattern, text, until) for text in texts):
                reasons.append(f'matches "{pattern.pattern}", a pattern of yours')
        except TimeoutError:
            reasons.append(f'could not be searched in time for "{pattern.pattern}", a pattern of yours')
    return reasons


def _search(pattern: "Pattern[str]", text: str, until: float) -> bool:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return pattern.search(text, timeout=left, concurrent=True) is not None
