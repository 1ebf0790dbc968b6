"""Draws a sparkline: how full a context was, turn by turn, and where it was compacted."""

from atm_tui.model.session import Compaction, ContextSample
from atm_tui.view.present import Glyphs, Part

LEVELS = "▁▂▃▄▅▆▇█"
ASCII_LEVELS = "_.-=+*%#"
MARKS = ("╎", "|")


def write_sparkline(
    samples: tuple[ContextSample, ...], compactions: tuple[Compaction, ...], width: int, glyphs: Glyphs
) -> list[Part]:
    """Draws the newest turns that fit into `width` cells, relative to the fullest; a mark shows a compaction."""
    levels = ASCII_LEVELS if glyphs.ascii else LEVELS
    marks = [mark.at for mark in compactions if mark.at is not None]
    cells: list[tuple[int | None, str]] = []
    for before, sample in zip((None, *samples), samples, strict=False):
        if before and before.at is not None and sample.at is not None:
            cells += [(None, "rule") for at in marks if before.at < at <= sample.at]
        cells.append((sample.tokens, "gauge"))
    if samples and samples[-1].at is not None:
        cells += [(None, "rule") for at in marks if at > samples[-1].at]
    shown = cells[-width:]
    fullest = max((tokens for tokens, _ in shown if tokens is not None), default=0) or 1
    parts: list[Part] = []
    for tokens, role in shown:
        sign = MARKS[glyphs.ascii] if tokens is None else levels[min(7, tokens * 8 // fullest)]
        if parts and parts[-1][1] == role:
            parts[-1] = (parts[-1][0] + sign, role)
        else:
            parts.append((sign, role))
    return parts
