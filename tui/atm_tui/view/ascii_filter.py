"""Replaces the few signs outside ASCII in our own texts; the last step before the terminal."""

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from atm_tui.text import ASCII_SPELLING


class AsciiFilter(LineFilter):
    """Replaces the signs of ASCII_SPELLING; other text, like a title in Japanese, stays as it is."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (the base's name)
        """Returns the segments with the signs replaced."""
        return [
            segment
            if segment.text.isascii()
            else Segment(segment.text.translate(ASCII_SPELLING), segment.style, segment.control)
            for segment in segments
        ]
