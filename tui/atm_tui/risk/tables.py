"""Tables of names, written as text."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atm_tui.risk.calls import Call

Check = Callable[["Call"], Iterator[str]]
"""Yields the ids of the dangers in a call."""


PRODUCTION = frozenset({"prod", "production", "live", "staging"})
"""Names of environments that other people use."""


def read_names(text: str) -> frozenset[str]:
    """Returns the names in a text, separated by blanks."""
    return frozenset(text.split())


def assign_check(check: Check, names: str) -> dict[str, Check]:
    """Assigns a check to each of these programs."""
    return dict.fromkeys(names.split(), check)
