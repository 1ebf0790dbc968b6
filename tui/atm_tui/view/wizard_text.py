"""What the pages of the install wizard share: paths, paragraphs, labelled text, and why a file is refused."""

from rich.cells import cell_len

from atm_tui import text
from atm_tui.settings.survey import Trouble
from atm_tui.text import clean, cut_width, wrap_text
from atm_tui.view import present
from atm_tui.view.list_line import ListLine, make_list_line
from atm_tui.view.present import Glyphs, Part

LABEL = 12
"""Width in cells of the labels on the left."""


def format_path(path: object, home: str) -> str:
    """Returns a path with ~ for the home folder."""
    return present.shorten_path(str(path), home)


def format_short_path(path: object, home: str, width: int) -> str:
    """Returns the same, cut at its start to `width` cells."""
    return cut_start(format_path(path, home), width)


def cut_start(words: str, width: int) -> str:
    """Cuts text at its start to at most `width` cells."""
    if cell_len(words) <= width:
        return words
    while words and cell_len(words) > width - 1:
        words = words[1:]
    return f"…{words}" if width > 0 else ""


def fit_remark(words: str, width: int) -> str:
    """Returns a remark if it fits into `width` cells; else a path cut at its start, and nothing of a sentence."""
    if cell_len(words) <= width:
        return words
    return "" if " " in words else cut_start(words, width)


def write_labelled(label: str, value: str, width: int, role: str = "plain", lines: int = 4) -> list[ListLine]:
    """Writes a label and its text, in up to `lines` lines."""
    wrapped = wrap_text(clean(value), width - LABEL, lines)
    return [
        make_list_line((text.fit_width("" if at else label, LABEL), "faint"), (piece, role))
        for at, piece in enumerate(wrapped or [""])
    ]


def write_paragraph(words: str, width: int, role: str = "plain", indent: str = "", lines: int = 6) -> list[ListLine]:
    """Writes text in up to `lines` lines."""
    return [make_list_line((indent + piece, role)) for piece in wrap_text(clean(words), width - len(indent), lines)]


def write_flagged(words: str, width: int, sign: Part, role: str = "plain") -> list[ListLine]:
    """Writes a sign followed by text."""
    lines = write_paragraph(words, width - 2, role)
    return [make_list_line((f"{sign[0]} " if not at else "  ", sign[1]), *line.parts) for at, line in enumerate(lines)]


def write_trouble(trouble: Trouble, width: int, glyphs: Glyphs) -> list[ListLine]:
    """Writes why a file is not changed: reason, place in the file, effect in Claude Code, and what to do."""
    place = f"line {trouble.line}, column {trouble.column}: " if trouble.line else ""
    result = [*write_flagged(place + trouble.reason, width, (glyphs.failed, "error"), "error"), make_list_line()]
    for number, line in trouble.lines:
        here = number == trouble.line
        # A minified file is one line: show it from a little before the place.
        skip = max(0, trouble.column - 1 - (width - 8) // 2) if here else 0
        shown = clean(line[skip : skip + width].expandtabs(1), lines=True)
        lead: Part = (f"{number:>5} ", "strong" if here else "faint")
        result.append(
            make_list_line(
                lead, (glyphs.pipe + " ", "rule"), (cut_width(shown, width - 8), "plain" if here else "faint")
            )
        )
        if here:
            before = clean(line[skip : trouble.column - 1].expandtabs(1), lines=True)
            result.append(
                make_list_line((" " * 6, "plain"), (glyphs.pipe + " ", "rule"), (" " * cell_len(before) + "^", "error"))
            )
    if trouble.lines:
        result.append(make_list_line())
    return [
        *result,
        *(write_paragraph(f"{trouble.effect}.", width) if trouble.effect else []),
        *write_paragraph(trouble.advice, width, "muted"),
    ]
