"""Respells the few signs outside ASCII that our texts hold beside the glyphs; a last step before the terminal."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

SPELLING = str.maketrans(
    {
        "…": "~",
        "–": "-",
        "·": "-",
        "\xa0": " ",
        "─": "-",
        "│": "|",
        "╭": "+",
        "╮": "+",
        "╯": "+",
        "╰": "+",
        "┌": "+",
        "┐": "+",
        "└": "+",
        "┘": "+",
        "├": "+",
        "┤": "+",
        "┬": "+",
        "┴": "+",
        "┼": "+",
    }
)
"""Each sign, and one ASCII character that is as wide."""


class AsciiFilter(LineFilter):
    """Text of users, like a title in Japanese, stays as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (the base's name)
        """The segments, respelled."""
        return [
            segment
            if segment.text.isascii()
            else Segment(segment.text.translate(SPELLING), segment.style, segment.control)
            for segment in segments
        ]
