"""One line of a list as a value: its text, and the key by which it can be selected."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from atm_tui.view.present import Part


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line; equal lines look equal."""

    parts: tuple[Part, ...]
    key: Hashable = None
    """What the line stands for; None: it can't be selected."""


WriteLines = Callable[[int], list[ListLine]]
"""Writes lines for a width in cells."""


def list_line(*parts: Part, key: Hashable = None) -> ListLine:
    """Makes a line of parts."""
    return ListLine(parts, key)


def write_nothing(_: int) -> list[ListLine]:
    """Writes no lines."""
    return []
