"""Wraps text whose parts have roles, and marks what was searched in it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size

from atm_tui.view.present import Part

Line = list[Part]
MATCH = "match"
"""The role of what was searched."""


class Paragraph(NamedTuple):
    """A line of text before it is wrapped."""

    parts: Sequence[Part]
    head: Sequence[Part] = ()
    """What stands before its first line."""
    indent: Sequence[Part] = ()
    """What stands before the others."""


class WrappedLine(NamedTuple):
    """A line that fits the width."""

    parts: Line
    matches: int = 0
    """How many matches begin in it."""


def count_matches(paragraphs: Sequence[Paragraph], pattern: "re.Pattern[str]") -> int:
    """Counts what matches in texts, those before them left out."""
    return sum(len(pattern.findall("".join(text for text, _ in each.parts))) for each in paragraphs)


def wrap(paragraph: Paragraph, width: int, pattern: "re.Pattern[str] | None" = None) -> Iterator[WrappedLine]:
    """Wraps a paragraph at blanks, and marks what matches the pattern; no line is wider than `width` cells."""
    text = "".join(piece for piece, _ in paragraph.parts)
    found = [each.span() for each in pattern.finditer(text) if each.end() > each.start()] if pattern else []
    spans = _mark(paragraph.parts, found)
    head, indent = list(paragraph.head), list(paragraph.indent)
    room = max(1, width - max(_measure(head), _measure(indent)))
    for number, (begin, end) in enumerate(_break(text, room)):
        parts = [(text[max(a, begin) : min(b, end)], role) for a, b, role in spans if a < end and b > begin]
        matches = sum(begin <= a < end for a, _ in found)
        yield WrappedLine([*(indent if number else head), *parts], matches)


def _measure(parts: Sequence[Part]) -> int:
    return sum(cell_len(text) for text, _ in parts)


def _mark(parts: Sequence[Part], found: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Returns the spans of a text with their roles."""
    spans: list[tuple[int, int, str]] = []
    position = 0
    for text, role in parts:
        end = position + len(text)
        for a, b in found:
            if b <= position or a >= end:
                continue
            if a > position:
                spans.append((position, a, role))
            spans.append((max(a, position), min(b, end), MATCH))
            position = min(b, end)
        if position < end:
            spans.append((position, end, role))
        position = end
    return spans


def _break(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Yields the spans of lines; the blank at which a line is broken is in neither."""
    if len(text) <= width and cell_len(text) <= width:
        yield 0, len(text)
        return
    is_narrow = text.isascii()
    begin = 0
    while begin < len(text):
        if is_narrow:
            end = min(len(text), begin + width)
        else:
            used, end = 0, begin
            while end < len(text) and used + (size := get_character_cell_size(text[end])) <= width:
                used, end = used + size, end + 1
            end = max(end, begin + 1)
        if end == len(text):
            yield begin, end
            return
        blank = text.rfind(" ", begin + width // 3, end + 1)
        if blank > begin and text[begin:blank].strip():
            yield begin, blank
            begin = blank + 1
        else:
            yield begin, end
            begin = end
