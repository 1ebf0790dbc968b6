"""Converts the words of a syntax tree to the text that a program would get."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from atm_tui.risk.syntax import UnreadableError

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_LEVELS = 200
"""Largest depth of the syntax tree of a word or expression."""
SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_COMPOSED = frozenset({"string", "translated_string", "concatenation", "command_name", "array"})
_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([\n"\\$`])')
_ANSI_C = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "E": "\x1b", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class WordReader:
    """Reads the words of one syntax tree."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self.variables: dict[str, str] = {}
        """Values of known variables."""

    def get_text(self, node: "Node") -> str:
        """Returns the text of a node in the source."""
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def expand(self, node: "Node") -> str:
        """Returns a word without quotes and escapes, with known variables expanded and all other expansions unchanged."""
        kind = node.type
        if kind == "raw_string":
            return self.get_text(node)[1:-1]
        if kind == "ansi_c_string":
            return _ANSI_C.sub(_decode_ansi_c, self.get_text(node)[2:-1])
        if kind in _COMPOSED:
            return self._expand_parts(node)
        if kind in ("simple_expansion", "expansion") and (name := self._find_name(node)) in self.variables:
            return self.variables[name]
        if kind in ("word", "number", "extglob_pattern", "regex"):
            return _ESCAPED.sub(_unescape, self.get_text(node))
        return self.get_text(node)

    def _expand_parts(self, node: "Node") -> str:
        """Yields the parts of a word and the text between them: the grammar omits blanks between two expansions."""
        parts: list[str] = []
        at = node.start_byte
        for child in node.children:
            parts.append(self._source[at : child.start_byte].decode("utf-8", "replace"))
            at = child.end_byte
            if child.type == "string_content":
                parts.append(_ESCAPED_IN_QUOTES.sub(_unescape, self.get_text(child)))
            elif child.type not in ('"', "$"):
                parts.append(self.expand(child))
        return "".join(parts)

    def _find_name(self, node: "Node") -> str:
        """Returns the variable of `$name` or `${name}`; "" for all other expansions."""
        named = node.named_children
        plain = node.type == "simple_expansion" or node.child_count == 3
        return self.get_text(named[0]) if plain and len(named) == 1 and named[0].type == "variable_name" else ""


def is_split(node: "Node") -> bool:
    """Returns whether the shell splits the value of this word at blanks: an unquoted expansion."""
    return node.type in ("simple_expansion", "expansion") or (
        node.type == "command_name" and len(node.children) == 1 and is_split(node.children[0])
    )


def find_substitutions(node: "Node") -> Iterator["Node"]:
    """Yields the outermost command and process substitutions in a node, in the order of the text.

    Raises UnreadableError.
    """
    pending = [(node, 0)]
    while pending:
        each, level = pending.pop()
        if level > MAX_LEVELS:
            raise UnreadableError("nested too deeply")
        if each.type in SUBSTITUTIONS:
            yield each
        else:
            pending.extend((child, level + 1) for child in reversed(each.children))


def _unescape(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def _decode_ansi_c(match: re.Match[str]) -> str:
    hexed, short, wide, octal, control, letter = match.groups()
    if code := hexed or short or wide:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    if octal:
        return chr(int(octal, 8) & 0xFF)
    if control:
        return chr(ord(control) & 0x1F)
    return _LETTERS.get(letter, letter)
