"""A line of a list: its text, and the key by which it is selected."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from atm_tui.view.present import Part


@dataclass(frozen=True, slots=True)
class ListLine:
    """A line. Equal lines look the same."""

    parts: tuple[Part, ...]
    key: Hashable = None
    """Key of what the line shows; None: it can't be selected."""


WriteLines = Callable[[int], list[ListLine]]
"""Writes lines for a width in cells."""


def make_list_line(*parts: Part, key: Hashable = None) -> ListLine:
    """Joins parts into a line."""
    return ListLine(parts, key)


def write_nothing(_: int) -> list[ListLine]:
    """Writes no lines."""
    return []
