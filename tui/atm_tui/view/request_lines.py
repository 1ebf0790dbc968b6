"""Lays out a request as lines of a width, each with the row that it shows, so that seen rows stay known at any width."""

from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass

from rich.cells import cell_len, get_character_cell_size

from atm_tui.text import clean, cut_width
from atm_tui.view.present import Glyphs, Part
from atm_tui.view.request import Section
from atm_tui.view.request_choices import Choices
from atm_tui.view.request_limit import Row

Line = list[Part]

GAP = 3
"""Gap in cells between two values on one line."""
_ROLES = {
    "text": "plain",
    "code": "strong",
    "add": "finished",
    "remove": "notice",
    "same": "muted",
    "question": "strong",
    "option": "plain",
    "muted": "muted",
    "danger": "needs",
}
_SIGNS = {"add": "+ ", "remove": "- ", "same": "  "}


@dataclass(frozen=True)
class PlacedLine:
    """A line, and the row of the request that it is part of, which is the same at every width."""

    row: Hashable
    parts: Line


def write(
    sections: Sequence[Section], width: int, glyphs: Glyphs, choices: Choices, *, offers: bool, spaced: bool
) -> list[PlacedLine]:
    """Returns all lines of a request, each at most `width` cells; nothing is cut. `offers`: with what can be allowed from now on.

    `spaced`: with an empty line between the sections.
    """
    lines: list[PlacedLine] = []
    for section in sections:
        if section.id == "suggestions" and not offers:
            continue
        if lines and spaced:
            lines.append(PlacedLine((section.id, "gap"), []))
        if section.id == "about":
            lines += _write_about(section, width)
        elif section.id == "dangers":
            lines += [placed for at, row in enumerate(section.rows) for placed in _write_danger(at, row, width, glyphs)]
        elif section.id == "suggestions":
            lines.append(PlacedLine((section.id, "title"), [(cut_width(section.title, width), "muted")]))
            lines += _write_rows(section, width, glyphs, Choices())
        else:
            lines += _write_rows(section, width, glyphs, choices)
    return lines


def write_key(lines: Sequence[PlacedLine]) -> Iterator[tuple[Hashable, PlacedLine]]:
    """Returns a unique key for each line at one width: its row, its index within the row, its text."""
    number, before = 0, None
    for each in lines:
        number, before = (number + 1 if each.row == before else 0), each.row
        yield (each.row, number, "".join(text for text, _ in each.parts)), each


def find_seen(lines: Sequence[PlacedLine], numbers: Set[int]) -> tuple[set[Hashable], set[Hashable]]:
    """Returns the keys of the lines whose `numbers` were seen, and the rows all of whose lines were seen."""
    pieces = {key for at, (key, _) in enumerate(write_key(lines)) if at in numbers}
    hidden = {each.row for at, each in enumerate(lines) if at not in numbers}
    return pieces, {each.row for each in lines} - hidden


def _write_about(section: Section, width: int) -> Iterator[PlacedLine]:
    """Writes values with their labels, as many on a line as fit."""
    line: Line = []
    used, number = 0, 0
    for row in section.rows:
        size = cell_len(row.label) + 1 + cell_len(row.text)
        if line and used + GAP + size > width:
            yield PlacedLine(("about", number), line)
            line, used, number = [], 0, number + 1
        if size > width:
            for part in break_lines(f"{row.label} {row.text}", width):
                yield PlacedLine(("about", number), [(part, "plain")])
                number += 1
            continue
        line += [(" " * GAP, "plain")] if line else []
        line += [(f"{row.label} ", "muted"), (row.text, "plain")]
        used += size + (GAP if used else 0)
    if line:
        yield PlacedLine(("about", number), line)


def _write_danger(at: int, row: Row, width: int, glyphs: Glyphs) -> Iterator[PlacedLine]:
    for number, part in enumerate(break_lines(row.text, width - 2)):
        yield PlacedLine(("dangers", at), [(f"{glyphs.warning} " if not number else "  ", "needs"), (part, "needs")])


def _write_rows(section: Section, width: int, glyphs: Glyphs, choices: Choices) -> Iterator[PlacedLine]:
    question, option = -1, -1
    for at, row in enumerate(section.rows):
        key = (section.id, at, row.text)
        if row.role == "question" and choices.questions:
            yield from _write_other(question, key, width, glyphs, choices)
            question, option = question + 1, -1
            if question:
                yield PlacedLine((*key, "gap"), [])
            yield from _write_question(("question", question), row, question, width, glyphs, choices)
        elif row.role == "option":
            option += 1
            mark = _write_question_mark(question, option, glyphs, choices)
            head: Line = [(f" {row.label:>2} ", "key"), *mark]
            yield from _write_indented(key, head, row.text, "plain", width)
        else:
            indent = 4 + 4 * bool(choices.questions) if option >= 0 else 4 * (question >= 0)
            yield from _write_row(key, row, width, min(indent, width // 3))
    yield from _write_other(question, (section.id, "end"), width, glyphs, choices)


def _write_question(
    key: Hashable, row: Row, number: int, width: int, glyphs: Glyphs, choices: Choices
) -> Iterator[PlacedLine]:
    """Writes a question; of several, marks the current one and those that are answered."""
    several = len(choices.questions) > 1
    mark = f"{glyphs.cursor} " if several and number == choices.current else "  " if several else ""
    done = f"{glyphs.finished} " if several and choices.is_answered(number) else ""
    head: Line = [(mark, "key"), (done, "finished"), (f"{row.label}  ", "muted")]
    yield from _write_indented(key, head, row.text, "strong", width)


def _write_other(question: int, key: Hashable, width: int, glyphs: Glyphs, choices: Choices) -> Iterator[PlacedLine]:
    """Writes the option of every question for free text."""
    if question < 0 or question >= len(choices.questions):
        return
    number = len(choices.questions[question].options)
    written = choices.written.get(question, "")
    head: Line = [(f" {number + 1:>2} ", "key"), *_choose_sign(bool(written), question, glyphs, choices)]
    text = f"other: {clean(written)}" if written else "other"
    yield from _write_indented((key, "other"), head, text, "plain" if written else "muted", width)


def _write_question_mark(question: int, option: int, glyphs: Glyphs, choices: Choices) -> Line:
    if question < 0 or question >= len(choices.questions):
        return []
    return _choose_sign(option in choices.chosen.get(question, ()), question, glyphs, choices)


def _choose_sign(chosen: bool, question: int, glyphs: Glyphs, choices: Choices) -> Line:
    if choices.questions[question].multi:
        return [("[x] " if chosen else "[ ] ", "finished" if chosen else "muted")]
    if glyphs.ascii:
        return [("(x) " if chosen else "( ) ", "finished" if chosen else "muted")]
    return [(f"{glyphs.needs if chosen else glyphs.idle} ", "finished" if chosen else "muted")]


def _write_row(key: Hashable, row: Row, width: int, indent: int) -> Iterator[PlacedLine]:
    role = _ROLES.get(row.role, "plain")
    if row.label:
        yield from _write_indented(key, [(" " * indent, "plain"), (f"{row.label} ", "muted")], row.text, role, width)
        return
    sign = _SIGNS.get(row.role, "")
    pad = " " * indent
    for number, part in enumerate(break_lines(row.text, width - indent - len(sign))):
        # A continued line does not repeat the sign.
        yield PlacedLine(key, [(pad + (sign if not number else " " * len(sign)), role), (part, role)])


def _write_indented(key: Hashable, head: Line, text: str, role: str, width: int) -> Iterator[PlacedLine]:
    """Writes a text after its head; further lines are indented to the start of the text, or less where the head is long."""
    size = sum(cell_len(part) for part, _ in head)
    if width - size < max(12, width // 3):
        for part in break_lines("".join(part for part, _ in head).rstrip(), width):
            yield PlacedLine(key, [(part, "muted")])
        head, size = [("  ", "plain")], 2
    for number, part in enumerate(break_lines(text, width - size)):
        yield PlacedLine(key, [*(head if not number else [(" " * size, "plain")]), (part, role)])


def break_lines(text: str, width: int) -> list[str]:
    """Wraps a text to at most `width` cells, keeping all blanks; breaks at a blank where one is near the end."""
    if width < 1 or (len(text) <= width and cell_len(text) <= width):
        return [text]
    sizes = [1] * len(text) if text.isascii() else list(map(get_character_cell_size, text))
    pieces: list[str] = []
    begin = 0
    while True:
        used, end = 0, begin
        while end < len(text) and used + sizes[end] <= width:
            used, end = used + sizes[end], end + 1
        if end == len(text):
            return [*pieces, text[begin:]]
        end = max(begin + 1, end)
        blank = text.rfind(" ", begin + width // 2, end)
        if blank > begin and text[end : end + 1] not in (" ", "") and text[begin:blank].strip():
            end = blank + 1
        pieces.append(text[begin:end])
        begin = end
