"""Changes JSON text in place: every byte outside the changed entries stays; new text follows the file's style.

What `append` adds, `remove` takes away to the byte, as long as the container was not empty before; what an empty
container looked like has to be remembered by the caller (`Value.text`). No library on PyPI undoes its own edits so.
"""

import codecs
import json
from typing import Any

from atm_tui.settings.errors import EncodingError, JsonError, ShapeError, line_column
from atm_tui.settings.json_style import Style
from atm_tui.settings.scanner import Item, Value, scan

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Document:
    """A settings file's text as a tree that can be changed; `root` is an object."""

    def __init__(self, data: bytes) -> None:
        """Raises JsonError when the bytes are not UTF-8 JSON or the root is no object.

        A file that is empty or holds white space only counts as an empty object, as it does for Claude Code (2.1.332).
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
        """How the root object stands in the file now; "" in a blank file."""
        return "" if self.is_blank and not self.root.items else self.root.format_text()

    def encode(self) -> bytes:
        """The bytes of the file as it is now."""
        text = self._head + self.root_text + self._tail
        return (codecs.BOM_UTF8 if self.has_bom else b"") + text.encode("utf-8")

    def append(self, container: Value, content: Any, key: str | None = None) -> Value:
        """Add an element, or a member when there is a key, at the end of a container. Returns the new value."""
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
        """Put another value in the place of an item's."""
        item.value = self.style.make_value(content, self.style.find_indent(item.gap))

    def make_empty(self, value: Value, kind: str) -> None:
        """Make a value (null, say) an empty container in its place."""
        value.kind, value.raw, value.tail, value.items = kind, "", "", []
        line = max(self.source.rfind("\n", 0, value.start), self.source.rfind("\r", 0, value.start)) + 1
        head = self.source[line : value.start]
        value.indent = head[: len(head) - len(head.lstrip(" \t"))]

    def locate(self, value: Value) -> tuple[int, int]:
        """Line and column, from 1, of a value that was read."""
        return line_column(self.source, max(value.start, 0))

    def make_shape_error(self, value: Value, path: str, reason: str) -> ShapeError:
        """The error for a value of the wrong type."""
        line, column = self.locate(value)
        return ShapeError(path, reason, line, column)


def remove(container: Value, item: Item) -> None:
    """Take an item out of its container, with the comma and the white space that came with it."""
    index = container.items.index(item)
    if index == 0 and len(container.items) > 1:
        container.items[1].gap = item.gap
    elif index > 0:
        container.items[index - 1].after = item.after
    else:
        container.tail = ""
    del container.items[index]


def restore(item: Item, raw: str) -> None:
    """Put a value back as it was once typed."""
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
