"""The last step of a line before the terminal: no character that steers it, and in ASCII mode none of our own signs."""

from collections.abc import Sequence

from rich.console import Console
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from atm_tui.text import ASCII_SPELLING, clean


class CleanFilter(LineFilter):
    """Cleans what a view has not: a second barrier, for text that nobody expected to come from outside."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (the base's name)
        """Returns the segments without characters that steer or hide."""
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            Segment(" ".join(clean(segment.text, lines=True).split("\n")).replace("\t", " "), segment.style)
            for segment in segments
        ]


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


_CLEAN, _ASCII = CleanFilter(), AsciiFilter()


def add_line_filters(filters: Sequence[LineFilter], *, ascii_only: bool) -> Sequence[LineFilter]:
    """Returns Textual's own filters with ours behind them."""
    return [*filters, _CLEAN, _ASCII] if ascii_only else [*filters, _CLEAN]


def make_error_console() -> Console:
    """Returns what an app prints its traceback with: without colours, since stderr of the command line lets no sequence through."""
    return Console(markup=False, highlight=False, stderr=True, color_system=None)
