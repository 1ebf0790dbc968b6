"""Parses JSON text into a tree that keeps every byte, so that one entry can change and the rest stays the same.

The grammar is that of JavaScript's JSON.parse, with which Claude Code reads settings: no comments, no trailing commas,
duplicate keys allowed (the last one counts), lone surrogate escapes allowed. Python's json accepts more (NaN) and less
(digits of an integer), hence a parser of our own.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from atm_tui.settings.errors import JsonError

SPACE = re.compile(r"[ \t\n\r]*")
CHARACTERS = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+'
BLANKS = re.compile(r"[ \t]*")
STRING = re.compile(CHARACTERS + '"')
MEMBER = re.compile(rf'({CHARACTERS}")([ \t\n\r]*:[ \t\n\r]*)')
"""A key and its colon, with the white space around it."""
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
WORD = re.compile(r"(?:true|false|null)\b")
MAX_DEPTH = 200
"""Largest nesting depth of containers; real settings have 8."""


@dataclass(slots=True, eq=False)
class Value:
    """A JSON value. `kind`: object, array, string, number or word; `raw`: text of a scalar, empty for containers.

    `tail`: the white space before a container's closing bracket; `indent`: the leading white space of the line on
    which the value starts; `start`: its offset in the text (-1: made by us).
    """

    kind: str
    raw: str = ""
    items: list["Item"] = field(default_factory=list)
    tail: str = ""
    indent: str = ""
    start: int = -1

    @property
    def is_null(self) -> bool:
        """Whether this is the word null."""
        return self.raw == "null"

    def format_text(self) -> str:
        """Returns the JSON text; unchanged parts are as they were read, byte for byte."""
        if self.kind == "object":
            return "{" + ",".join([item.format_text() for item in self.items]) + self.tail + "}"
        if self.kind == "array":
            return "[" + ",".join([item.format_text() for item in self.items]) + self.tail + "]"
        return self.raw

    def decode(self) -> Any:
        """Returns the Python value; of duplicate keys the last one, as in the client."""
        if self.kind == "object":
            return {item.name: item.value.decode() for item in self.items}
        if self.kind == "array":
            return [item.value.decode() for item in self.items]
        if self.kind == "number":
            return float(self.raw) if len(self.raw) > 300 else json.loads(self.raw)
        return json.loads(self.raw)

    def find_members(self, name: str) -> list["Item"]:
        """Returns all members of an object with this name, in order; empty for other kinds."""
        return [item for item in self.items if item.name == name] if self.kind == "object" else []

    def find_member(self, name: str) -> "Item | None":
        """Returns the last member with this name, which is the valid one; None if there is none."""
        found = self.find_members(name)
        return found[-1] if found else None

    def get(self, name: str) -> "Value | None":
        """Returns the value of the last member with this name, or None."""
        item = self.find_member(name)
        return item.value if item else None

    def get_string(self, name: str) -> str | None:
        """Returns the decoded member if it is a string, else None."""
        value = self.get(name)
        return json.loads(value.raw) if value is not None and value.kind == "string" else None


@dataclass(slots=True, eq=False)
class Item:
    """An element of an array (key "") or a member of an object, with the white space around it.

    `gap`: before it; `colon`: between key and value; `after`: between the value and the comma that follows.
    """

    value: Value
    gap: str = ""
    key: str = ""
    colon: str = ""
    after: str = ""

    @property
    def name(self) -> str:
        """The decoded key."""
        key: str = json.loads(self.key) if "\\" in self.key else self.key[1:-1]
        return key

    def format_text(self) -> str:
        """Returns the JSON text with the white space that belongs to it."""
        return f"{self.gap}{self.key}{self.colon}{self.value.format_text()}{self.after}"


def scan(text: str) -> tuple[str, Value, str]:
    """Parses a JSON text; returns (white space before, root, white space after). Raises JsonError at the first fault."""
    return _Scanner(text).read_document()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.format_text = text
        self.at = 0
        self.line = 0
        """Start of the line of `at`."""

    def read_document(self) -> tuple[str, Value, str]:
        head = self._skip_space()
        if self.at == len(self.format_text):
            raise self._make_error(
                "the file is empty" if not self.format_text else "the file holds nothing but white space"
            )
        root = self._read_value(0)
        tail = self._skip_space()
        if self.at < len(self.format_text):
            raise self._make_error("text after the end of the JSON value")
        return head, root, tail

    def _make_error(self, reason: str, at: int | None = None) -> JsonError:
        return JsonError(reason, self.format_text, self.at if at is None else at)

    def _skip_space(self) -> str:
        start = self.at
        if self._peek() > " ":
            return ""
        gap = SPACE.match(self.format_text, start)[0]  # type: ignore[index]  # matches the empty string too
        self._advance(gap, start + len(gap))
        return gap

    def _advance(self, gap: str, end: int) -> None:
        """Advances to `end`, after a gap. Lines end only in gaps, since strings contain no raw line end."""
        self.at = end
        if behind := max(gap.rfind("\n"), gap.rfind("\r")) + 1:
            self.line = end - len(gap) + behind

    def _peek(self) -> str:
        return self.format_text[self.at : self.at + 1]

    def _read_value(self, depth: int) -> Value:
        start, first = self.at, self._peek()
        if first and first in "{[":
            if depth >= MAX_DEPTH:
                raise self._make_error(f"more than {MAX_DEPTH} containers within each other")
            value = self._read_container(first, depth)
        elif first == '"':
            value = Value("string", self._read_string())
        elif match := NUMBER.match(self.format_text, start):
            self.at = match.end()
            value = Value("number", match[0])
        elif match := WORD.match(self.format_text, start):
            self.at = match.end()
            value = Value("word", match[0])
        else:
            raise self._make_unexpected_error("a value")
        value.start = start
        return value

    def _read_container(self, bracket: str, depth: int) -> Value:
        container = Value("object" if bracket == "{" else "array", indent=self._read_indent())
        close = "}" if bracket == "{" else "]"
        self.at += 1
        gap = self._skip_space()
        if self._peek() == close:
            self.at += 1
            container.tail = gap
            return container
        while True:
            item = Item(Value("word"), gap)
            if bracket == "{":
                head = MEMBER.match(self.format_text, self.at)
                if head is None:
                    raise self._make_member_error()
                item.key, item.colon = head[1], head[2]
                self._advance(item.colon, head.end())
            item.value = self._read_value(depth + 1)
            container.items.append(item)
            after = self._skip_space()
            if self._peek() == close:
                self.at += 1
                container.tail = after
                return container
            if self._peek() != ",":
                raise self._make_unexpected_error(f'"," or "{close}"')
            comma = self.at
            self.at += 1
            item.after = after
            gap = self._skip_space()
            if self._peek() == close:
                raise self._make_error("trailing comma", comma)

    def _read_indent(self) -> str:
        return BLANKS.match(self.format_text, self.line, self.at)[0]  # type: ignore[index]  # as above

    def _make_member_error(self) -> JsonError:
        """Returns the error of a bad member: at its key, within it, or at the colon."""
        if self._peek() != '"':
            return self._make_unexpected_error("a key in double quotes")
        self._read_string()
        self._skip_space()
        return self._make_unexpected_error('":"')

    def _read_string(self) -> str:
        match = STRING.match(self.format_text, self.at)
        if match is None:
            raise self._make_string_error()
        self.at = match.end()
        return match[0]

    def _make_string_error(self) -> JsonError:
        """Returns the error of a bad string: after its longest valid beginning."""
        good = re.compile(CHARACTERS).match(self.format_text, self.at)
        end = good.end() if good else self.at
        rest = self.format_text[end : end + 1]
        if not rest:
            return self._make_error("the text ends within a string", self.at)
        if rest == "\\":
            return self._make_error("an escape that JSON does not have", end)
        if rest in "\r\n":
            return self._make_error("a string that is not closed on its line", self.at)
        return self._make_error(f"a control character (0x{ord(rest):02x}) in a string", end)

    def _make_unexpected_error(self, wanted: str) -> JsonError:
        rest = self.format_text[self.at : self.at + 2]
        if not rest:
            return self._make_error("the text ends too early: a bracket is not closed")
        if rest in {"//", "/*"}:
            return self._make_error("a comment; JSON has none")
        return self._make_error(f"{wanted} expected, found {rest[0]!r}")
