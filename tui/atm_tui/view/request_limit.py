"""Limits how much of a request is shown and compared, so that its rows are made in bounded time whatever it contains."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from typing import Any, NamedTuple

LINES = 10_000
"""Most rows that are shown of one request."""
CHARACTERS = 500_000
"""Most characters that are shown of one request."""
STEPS = 3_000_000
"""Most pairs of equal lines that are examined to compare all texts of one request."""

LINE = 40
"""Characters that `is_longer` adds for each line."""


class Row(NamedTuple):
    """One line of text without control characters, not yet wrapped to a width."""

    role: str
    """text | code | add | remove | same | question | option | muted | danger"""
    text: str
    label: str = ""
    """The label of a value, such as "cwd", or the number of an option."""


class RequestLimit:
    """The remaining budget of one request: lines, characters, comparison steps."""

    def __init__(self) -> None:
        self.lines = LINES
        self.characters = CHARACTERS
        self.steps = STEPS
        self.is_exceeded = False
        """Whether any row was left out or cut."""

    def take_rows(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Yields the rows that are within the limit; makes none of those beyond it."""
        taken = []
        for row in rows:
            if self.lines <= 0 or self.characters <= 0:
                self.is_exceeded = True
                break
            if len(row.text) > self.characters:
                self.is_exceeded = True
                row = row._replace(text=row.text[: self.characters])  # noqa: PLW2901
            self.lines -= 1
            self.characters -= len(row.text)
            taken.append(row)
        return tuple(taken)

    def compare_lines(self, old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]] | None:
        """Returns the difference as opcodes of difflib; None when comparing takes more steps than remain."""
        matcher = _BoundedMatcher(old, new, self.steps)
        try:
            return matcher.get_opcodes()
        except _TooManyStepsError:
            return None
        finally:
            self.steps = max(0, matcher.steps)


class _TooManyStepsError(Exception):
    pass


class _BoundedMatcher(SequenceMatcher[str]):
    """A SequenceMatcher with a limit on its steps: many similar lines make difflib take cubic time."""

    def __init__(self, old: list[str], new: list[str], steps: int) -> None:
        self.steps = steps
        super().__init__(None, old, new, autojunk=False)
        self._pairs = [0]
        """For each line of the old text, how many equal lines of the new one there are for the lines before it."""
        for line in old:
            self._pairs.append(self._pairs[-1] + 1 + len(self.b2j.get(line, ())))  # type: ignore[attr-defined]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        self.steps -= self._pairs[-1 if ahi is None else ahi] - self._pairs[alo]
        if self.steps < 0:
            raise _TooManyStepsError
        return super().find_longest_match(alo, ahi, blo, bhi)


def count_lines(value: object) -> tuple[int, int]:
    """Counts the lines and the characters of all texts in a value."""
    lines = characters = 0
    for text in _list_texts(value):
        lines += text.count("\n") + 1
        characters += len(text)
    return lines, characters


def is_longer(value: object, most: int) -> bool:
    """Returns whether all texts in a value have more than `most` characters in total, each line counted as LINE more.

    Many short lines take longest to compare.
    """
    left = most
    for text in _list_texts(value):
        left -= len(text) + LINE * (text.count("\n") + 1)
        if left < 0:
            return True
    return False


def _list_texts(value: object) -> Iterator[str]:
    """Yields all texts in a value, and an empty text for each other scalar."""
    left = [value]
    while left:
        each: Any = left.pop()
        if isinstance(each, Mapping):
            left += each.values()
        elif isinstance(each, list | tuple):
            left += each
        else:
            yield each if isinstance(each, str) else ""
