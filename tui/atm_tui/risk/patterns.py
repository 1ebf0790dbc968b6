"""Searches requests for the user's own patterns, with a time limit: one that would take for ever holds nothing up."""

import re
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regex import Pattern

SECONDS = 1.0
"""How long all patterns together may take on one request."""


class PatternError(ValueError):
    """A text is no regular expression; the message says why."""


def compile_pattern(text: str) -> "Pattern[str]":
    """A pattern whose search can be given a time limit. Raises PatternError."""
    # Loaded when there is a pattern: most users have none.
    import regex  # noqa: PLC0415

    try:
        re.compile(text)  # what the standard library doesn't take is not documented for the configuration
        return regex.compile(text)
    except (re.error, regex.error) as error:
        raise PatternError(str(error)) from error


def find_matches(patterns: Iterable["Pattern[str]"], texts: Sequence[str], seconds: float = SECONDS) -> list[str]:
    """The reasons to ask twice: the patterns that match one of the texts, and those that were not done within `seconds`."""
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
