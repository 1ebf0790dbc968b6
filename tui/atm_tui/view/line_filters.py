"""The last filters of each line before the terminal: they remove control characters and, in ASCII mode, all that is not ASCII."""

from collections.abc import Sequence

from rich.console import Console
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from atm_tui.text import clean, spell_ascii


class CleanFilter(LineFilter):
    """Removes control characters that a view missed: a second barrier for text from outside."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (the base's name)
        """Returns the segments without control characters and invisible ones."""
        if all(segment.text.isprintable() for segment in segments):
            return segments
        return [
            Segment(" ".join(clean(segment.text, lines=True).split("\n")).replace("\t", " "), segment.style)
            for segment in segments
        ]


class AsciiFilter(LineFilter):
    """Spells everything in ASCII, our signs and text from outside: the terminal may be able to show nothing else."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 (the base's name)
        """Returns the segments in ASCII, each as wide as before."""
        return [
            segment if segment.text.isascii() else Segment(spell_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]


_CLEAN, _ASCII = CleanFilter(), AsciiFilter()


def add_line_filters(filters: Sequence[LineFilter], *, ascii_only: bool) -> Sequence[LineFilter]:
    """Returns Textual's filters followed by ours."""
    return [*filters, _CLEAN, _ASCII] if ascii_only else [*filters, _CLEAN]


def make_error_console() -> Console:
    """Returns the console on which an app prints its traceback: without colours, since stderr passes no escape sequences."""
    return Console(markup=False, highlight=False, stderr=True, color_system=None)
