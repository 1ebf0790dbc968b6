"""Detects the style of a JSON file (indent, line ends, spaces), and formats new entries in it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from atm_tui.settings.scanner import Item, Value, scan

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON can escape it, UTF-8 can't encode it."""


@dataclass(frozen=True, slots=True)
class Style:
    """`unit`: one indent; `colon`, `comma`: with their spaces; `pad`: inside the braces of a one-line object."""

    newline: str = "\n"
    unit: str = "  "
    colon: str = ": "
    comma: str = ", "
    pad: str = ""
    one_line: bool = False

    @classmethod
    def detect(cls, text: str, root: Value) -> "Style":
        """Returns the style of a text; for an empty object that of JSON.stringify(…, null, 2)."""
        colon = next((item.colon for item in _list_members(root)), ": ")
        if "\n" in colon or "\r" in colon:
            colon = ": "
        gaps = (item.gap for value in _list_containers(root) for item in value.items[1:])
        comma = next((gap for gap in gaps if not cls.is_line_gap(gap)), " " if colon.endswith(" ") else "")
        pads = (value.items[0].gap for value in _list_containers(root) if value.kind == "object" and value.items)
        pad = next((gap for gap in pads if not cls.is_line_gap(gap)), "")
        one_line = bool(root.items) and not cls.is_line_gap(root.format_text())
        return cls(_detect_newline(text), _detect_unit(root), colon, "," + comma, pad, one_line)

    @staticmethod
    def is_line_gap(gap: str) -> bool:
        """Returns whether a gap contains a line break."""
        return "\n" in gap or "\r" in gap

    @staticmethod
    def find_indent(gap: str) -> str | None:
        """Returns the indent at the end of a gap; None if the gap has no line break."""
        start = max(gap.rfind("\n"), gap.rfind("\r")) + 1
        return gap[start:] if start else None

    def choose_gap(self, container: Value, *, spread: bool) -> str:
        """Returns the white space before a new last item.

        `spread`: whether to start a new line in a file of several lines, since an object of 24 events on one line is
        unreadable.
        """
        lined = [indent for item in container.items if (indent := self.find_indent(item.gap)) is not None]
        if lined:
            return self.newline + lined[-1]
        if not container.items:
            spread = not self.one_line
        if spread and not self.one_line:
            return self.newline + container.indent + self.unit
        if container.items:
            return container.items[-1].gap if len(container.items) > 1 else self.comma[1:]
        return self.pad if container.kind == "object" else ""

    def make_value(self, content: Any, indent: str | None) -> Value:
        """Makes a value in this style. `indent`: that of its line; None: all on one line."""
        text = self._format(content, indent)
        value = scan(text)[1]
        value.start = -1
        value.indent = indent or ""
        return value

    def _format(self, content: Any, indent: str | None) -> str:
        if not isinstance(content, dict | list) or not content:
            return _LONE_SURROGATE.sub(_escape, json.dumps(content, ensure_ascii=False))
        opening, closing = "{}" if isinstance(content, dict) else "[]"
        deeper = None if indent is None else indent + self.unit
        if isinstance(content, dict):
            parts = [json.dumps(key) + self.colon + self._format(content[key], deeper) for key in content]
        else:
            parts = [self._format(element, deeper) for element in content]
        if deeper is None:
            pad = self.pad if isinstance(content, dict) else ""
            return opening + pad + self.comma.join(parts) + pad + closing
        lead = self.newline + deeper
        return opening + lead + ("," + lead).join(parts) + self.newline + str(indent) + closing


def _list_containers(value: Value) -> Iterator[Value]:
    if value.kind in {"object", "array"}:
        yield value
        for item in value.items:
            yield from _list_containers(item.value)


def _list_members(root: Value) -> Iterator[Item]:
    for value in _list_containers(root):
        if value.kind == "object":
            yield from value.items


def _detect_newline(text: str) -> str:
    crlf = text.count("\r\n")
    if crlf > text.count("\n") - crlf:
        return "\r\n"
    return "\r" if "\r" in text and "\n" not in text else "\n"


def _detect_unit(root: Value) -> str:
    """Returns the first indent of the file, else two spaces."""
    for value in _list_containers(root):
        for item in value.items:
            indent = Style.find_indent(item.gap)
            if indent is not None and indent.startswith(value.indent) and len(indent) > len(value.indent):
                return indent[len(value.indent) :]
    return "  "


def _escape(found: "re.Match[str]") -> str:
    return f"\\u{ord(found[0]):04x}"
