"""Writes Markdown as paragraphs with roles: headings, lists, code, quotes, tables, links."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from atm_tui.text import clean
from atm_tui.view.present import Glyphs, Part
from atm_tui.view.styled_lines import Paragraph

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 200_000
"""Characters of a text that are read as Markdown; a longer one is shown as it is."""
_GAP = 2
"""Cells between the columns of a table."""
_STYLES = {"strong_open": "strong", "em_open": "emphasis", "link_open": "link", "s_open": "muted"}


@cache
def _make_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415  only a conversation needs it

    return MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough")


def write_markdown(text: str, width: int, glyphs: Glyphs) -> list[Paragraph]:
    """Writes a text. `width`: cells for tables, which are laid out here; all else is wrapped later."""
    text = clean(text, lines=True).expandtabs(4)
    if len(text) > LONGEST:
        return write_plain(text, "plain")
    try:
        tokens = _make_parser().parse(text)
    except (ValueError, RecursionError, IndexError, KeyError):
        return write_plain(text, "plain")
    return _Writer(width, glyphs).write(tokens)


def write_plain(text: str, role: str) -> list[Paragraph]:
    """Writes each line of a text as it is."""
    return [Paragraph([(line, role)] if line else []) for line in text.rstrip("\n").split("\n")]


class _Writer:
    """Writes the tokens of a document, with what stands before each of its lines."""

    def __init__(self, width: int, glyphs: Glyphs) -> None:
        self._width = width
        self._glyphs = glyphs
        self._before: list[Part] = []
        """What stands before each line: quotes, and the indent of lists."""
        self._mark: Part | None = None
        """The bullet or number of the list's item that begins."""
        self._lists: list[int | None] = []
        """For each open list: the next number; None for bullets."""
        self._tight: list[bool] = []
        self._written: list[Paragraph] = []

    def write(self, tokens: "Sequence[Token]") -> list[Paragraph]:
        position = 0
        while position < len(tokens):
            position = self._write_token(tokens, position)
        while self._written and not self._written[-1].parts and not self._written[-1].head:
            self._written.pop()
        return self._written

    def _write_token(self, tokens: "Sequence[Token]", at: int) -> int:
        """Writes the token at an index; returns the index of the next one."""
        token = tokens[at]
        match token.type:
            case "heading_open":
                self._add(_write_inline(tokens[at + 1], "title"))
                self._add_gap()
                return at + 3
            case "paragraph_open":
                for line in _split_lines(_write_inline(tokens[at + 1], "plain")):
                    self._add(line)
                if not token.hidden:
                    self._add_gap()
                return at + 3
            case "fence" | "code_block":
                self._write_code(token)
            case "bullet_list_open" | "ordered_list_open":
                start = token.attrs.get("start", 1)
                self._lists.append(int(start) if token.type == "ordered_list_open" else None)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
                if not self._lists:
                    self._add_gap()
            case "list_item_open":
                self._begin_item()
            case "list_item_close":
                self._before.pop()
                self._mark = None
            case "blockquote_open":
                self._before.append((f"{self._glyphs.pipe} ", "rule"))
            case "blockquote_close":
                self._before.pop()
                if self._written and not self._written[-1].parts:
                    self._written.pop()
                self._add_gap()
            case "hr":
                self._add([(self._glyphs.rule * max(1, min(self._width, 40)), "rule")])
                self._add_gap()
            case "table_open":
                return self._write_table(tokens, at)
            case "html_block" | "inline":
                for row in token.content.rstrip("\n").split("\n"):
                    self._add([(row, "plain")])
            case _:
                pass
        return at + 1

    def _begin_item(self) -> None:
        number = self._lists[-1] if self._lists else None
        mark = "- " if number is None and self._glyphs.ascii else "• " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        self._mark = (mark, "key")
        self._before.append((" " * cell_len(mark), "plain"))

    def _add(self, parts: list[Part]) -> None:
        indent = list(self._before)
        head = indent
        if self._mark is not None:
            head = [*indent[:-1], self._mark]
            self._mark = None
        self._written.append(Paragraph(parts, head, indent))

    def _add_gap(self) -> None:
        if self._written and (self._written[-1].parts or not self._before):
            quotes = [each for each in self._before if each[1] == "rule"]
            if self._written[-1].parts:
                self._written.append(Paragraph([], quotes, quotes))

    def _write_code(self, token: "Token") -> None:
        mark = (f"{self._glyphs.pipe} ", "rule")
        self._before.append(mark)
        for line in token.content.rstrip("\n").split("\n"):
            self._add([(line, "code")] if line else [])
        self._before.pop()
        self._written.append(Paragraph([]))

    def _write_table(self, tokens: "Sequence[Token]", at: int) -> int:
        rows: list[list[list[Part]]] = []
        while tokens[at].type != "table_close":
            if tokens[at].type == "tr_open":
                rows.append([])
            elif tokens[at].type == "inline":
                rows[-1].append(_write_inline(tokens[at], "strong" if len(rows) == 1 else "plain"))
            at += 1
        widths = [
            max(_measure(row[column]) if column < len(row) else 0 for row in rows)
            for column in range(max(map(len, rows)))
        ]
        fits = sum(widths) + _GAP * (len(widths) - 1) <= self._width
        for number, row in enumerate(rows):
            cells: list[Part] = []
            for column, cell in enumerate(row):
                pad = widths[column] - _measure(cell) + _GAP if fits else 0
                between = " " * pad if fits else f" {self._glyphs.dot} "
                cells += [*cell, (between, "faint")] if column < len(row) - 1 else cell
            self._add(cells)
            if not number and fits:
                self._add([(self._glyphs.rule * (sum(widths) + _GAP * (len(widths) - 1)), "rule")])
        self._add_gap()
        return at + 1


def _measure(parts: Sequence[Part]) -> int:
    return sum(cell_len(text) for text, _ in parts)


def _write_inline(token: "Token", role: str) -> list[Part]:
    """Writes the text of a paragraph; a line break is a part of its own."""
    parts: list[Part] = []
    roles = [role]
    links: list[str] = []
    for each in token.children or []:
        if each.type in _STYLES:
            inner = _STYLES[each.type]
            roles.append(roles[-1] if roles[-1] in ("title", "strong") and inner != "link" else inner)
            if each.type == "link_open":
                links.append(str(each.attrs.get("href", "")))
                parts.append(("", "link"))
        elif each.type.endswith("_close") and len(roles) > 1:
            roles.pop()
            if each.type == "link_close" and links:
                target = links.pop()
                if target and not _ends_with(parts, target):
                    parts.append((f" ({_flatten(target)})", "muted"))
        elif each.type == "code_inline":
            parts.append((_flatten(each.content), "code"))
        elif each.type == "softbreak":
            parts.append((" ", roles[-1]))
        elif each.type == "hardbreak":
            parts.append(("\n", roles[-1]))
        elif each.type == "image":
            parts.append((f"[{_flatten(each.content) or 'image'}]", "muted"))
        else:
            parts.append((_flatten(each.content), roles[-1]))
    return [part for part in parts if part[0]]


def _flatten(text: str) -> str:
    """Cleans a text again: as an entity, it can hold any character."""
    return clean(text, lines=True).replace("\n", " ").replace("\t", " ")


def _ends_with(parts: Sequence[Part], text: str) -> bool:
    return "".join(piece for piece, _ in parts).endswith(text)


def _split_lines(parts: list[Part]) -> Iterator[list[Part]]:
    """Splits parts where a line break is among them."""
    line: list[Part] = []
    for part in parts:
        if part[0] == "\n":
            yield line
            line = []
        else:
            line.append(part)
    yield line
