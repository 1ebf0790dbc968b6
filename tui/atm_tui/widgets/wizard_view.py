"""What the wizard's views share: words for files and sizes, a titled rule, paragraphs, the notice of a file that is refused."""

from rich.cells import cell_len
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from atm_tui import text
from atm_tui.settings.survey import Trouble
from atm_tui.text import clean, cut, wrap
from atm_tui.view import present
from atm_tui.view.present import Glyphs, Part, content
from atm_tui.widgets.wizard_lines import Lines, Row, row

LABEL = 12
"""Cells of the labels on the left."""


class View(Vertical):
    """One page of the wizard. `main` gets the focus when the page comes up."""

    def __init__(self, glyphs: Glyphs, home: str, id: str, most: int | None = None) -> None:  # noqa: A002 (textual's name)
        super().__init__(id=id)
        self.glyphs = glyphs
        self.home = home
        self.main = Lines(glyphs, f"{id}-main", most)


class Rule(Static):
    """A rule with a title in it, as over the panes of the main screen."""

    ALLOW_SELECT = False

    def __init__(self, glyphs: Glyphs, title: str) -> None:
        super().__init__(classes="wizard-rule")
        self._glyphs = glyphs
        self._title = title

    def name_it(self, title: str) -> None:
        """Another title."""
        if title != self._title:
            self._title = title
            self._paint()

    def on_resize(self, _: Resize) -> None:
        """As long as the line."""
        self._paint()

    def _paint(self) -> None:
        width, sign = self.size.width, self._glyphs.rule
        title = cut(self._title, width - 6)
        if width < 8:
            return
        rest = sign * (width - present.content((title, "title")).cell_length - 3)
        self.update(content((f"{sign} ", "rule"), (title, "title"), (f" {rest}", "rule")), layout=False)


def path_words(path: object, home: str) -> str:
    """A path with ~ for the home folder."""
    return present.path(str(path), home)


def short_path(path: object, home: str, width: int) -> str:
    """The same, cut at its beginning: the end says which file it is."""
    return cut_head(path_words(path, home), width)


def cut_head(words: str, width: int) -> str:
    """Text in at most `width` cells; what has to go goes at the beginning."""
    if cell_len(words) <= width:
        return words
    while words and cell_len(words) > width - 1:
        words = words[1:]
    return f"…{words}" if width > 0 else ""


def labelled(label: str, value: str, width: int, role: str = "plain", lines: int = 4) -> list[Row]:
    """A label and its text, in as many lines as it needs."""
    wrapped = wrap(clean(value), width - LABEL, lines)
    return [
        row((text.fit("" if at else label, LABEL), "faint"), (piece, role)) for at, piece in enumerate(wrapped or [""])
    ]


def paragraph(words: str, width: int, role: str = "plain", indent: str = "", lines: int = 6) -> list[Row]:
    """Text in as many lines as it needs."""
    return [row((indent + piece, role)) for piece in wrap(clean(words), width - len(indent), lines)]


def flagged(words: str, width: int, sign: Part, role: str = "plain") -> list[Row]:
    """The same behind a sign."""
    lines = paragraph(words, width - 2, role)
    return [row((f"{sign[0]} " if not at else "  ", sign[1]), *line.parts) for at, line in enumerate(lines)]


def trouble_rows(trouble: Trouble, width: int, glyphs: Glyphs) -> list[Row]:
    """Why a file is left alone: the reason, the place with its neighbours, what the client does, what to do."""
    place = f"line {trouble.line}, column {trouble.column}: " if trouble.line else ""
    result = [*flagged(place + trouble.reason, width, (glyphs.failed, "error"), "error"), row()]
    for number, line in trouble.lines:
        here = number == trouble.line
        # A minified file is one line: what is shown begins a little before the place.
        skip = max(0, trouble.column - 1 - (width - 8) // 2) if here else 0
        shown = clean(line[skip : skip + width].expandtabs(1), lines=True)
        lead: Part = (f"{number:>5} ", "strong" if here else "faint")
        result.append(row(lead, (glyphs.pipe + " ", "rule"), (cut(shown, width - 8), "plain" if here else "faint")))
        if here:
            before = clean(line[skip : trouble.column - 1].expandtabs(1), lines=True)
            result.append(row((" " * 6, "plain"), (glyphs.pipe + " ", "rule"), (" " * cell_len(before) + "^", "error")))
    if trouble.lines:
        result.append(row())
    return [
        *result,
        *(paragraph(f"{trouble.effect}.", width) if trouble.effect else []),
        *paragraph(trouble.advice, width, "muted"),
    ]
