"""Edits JSON text in place: every byte outside the changed entries stays; new text follows the file's style.

`remove` reverts `append` to the byte, unless the container was empty before: the caller has to remember the text of an
empty container (`Value.format_text`). No library on PyPI can revert its edits like this.
"""

import codecs
import json
from typing import Any

from atm_tui.settings.errors import EncodingError, JsonError, ShapeError, find_line_column
from atm_tui.settings.json_style import Style
from atm_tui.settings.scanner import Item, Value, scan

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Document:
    """The text of a settings file as an editable tree; `root` is an object."""

    def __init__(self, data: bytes) -> None:
        """Raises JsonError if the bytes are not UTF-8 JSON, or the root is not an object.

        A file that is empty or contains only white space counts as an empty object, as in Claude Code (2.1.332).
        """
        self.has_bom = data.startswith(codecs.BOM_UTF8)
        self.source = _decode(data[len(codecs.BOM_UTF8) :] if self.has_bom else data)
        self.is_blank = not self.source.strip(" \t\r\n")
        self._head, self.root, self._tail = ("", scan("{}")[1], self.source) if self.is_blank else scan(self.source)
        if self.root.kind != "object":
            raise JsonError(f"the file holds a JSON {self.root.kind}, not an object", self.source, self.root.start)
        self.style = Style.detect(self.source, self.root)

    @property
    def root_text(self) -> str:
        """The current text of the root object; "" in a blank file."""
        return "" if self.is_blank and not self.root.items else self.root.format_text()

    def encode(self) -> bytes:
        """Returns the current bytes of the file."""
        text = self._head + self.root_text + self._tail
        return (codecs.BOM_UTF8 if self.has_bom else b"") + text.encode("utf-8")

    def append(self, container: Value, content: Any, key: str | None = None) -> Value:
        """Appends an element, or a member if there is a key, to a container. Returns the new value."""
        style = self.style
        gap = style.choose_gap(container, spread=key is not None and isinstance(content, dict | list))
        indent = style.find_indent(gap)
        item = Item(style.make_value(content, indent), gap)
        if key is not None:
            item.key, item.colon = json.dumps(key, ensure_ascii=False), style.colon
        if container.items:
            container.items[-1].after = ""
        else:
            container.tail = style.newline + container.indent if indent is not None else gap
        container.items.append(item)
        return item.value

    def replace(self, item: Item, content: Any) -> None:
        """Replaces the value of an item."""
        item.value = self.style.make_value(content, self.style.find_indent(item.gap))

    def make_empty(self, value: Value, kind: str) -> None:
        """Turns a value (such as null) into an empty container."""
        value.kind, value.raw, value.tail, value.items = kind, "", "", []
        line = max(self.source.rfind("\n", 0, value.start), self.source.rfind("\r", 0, value.start)) + 1
        head = self.source[line : value.start]
        value.indent = head[: len(head) - len(head.lstrip(" \t"))]

    def locate(self, value: Value) -> tuple[int, int]:
        """Returns line and column, from 1, of a value that was read."""
        return find_line_column(self.source, max(value.start, 0))

    def make_shape_error(self, value: Value, path: str, reason: str) -> ShapeError:
        """Returns the error for a value of the wrong type."""
        line, column = self.locate(value)
        return ShapeError(path, reason, line, column)


def remove(container: Value, item: Item) -> None:
    """Removes an item from its container, with its comma and white space."""
    index = container.items.index(item)
    if index == 0 and len(container.items) > 1:
        container.items[1].gap = item.gap
    elif index > 0:
        container.items[index - 1].after = item.after
    else:
        container.tail = ""
    del container.items[index]


def restore(item: Item, raw: str) -> None:
    """Restores the original text of a value."""
    item.value = Value("word", raw)


def _decode(data: bytes) -> str:
    if data.startswith(UTF16):
        raise JsonError("the file is UTF-16, not UTF-8", "", 0)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data[: error.start].decode("utf-8")
        reason = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise EncodingError(reason, text, len(text)) from None
