"""Parses shell text with the bash grammar of tree-sitter, with limits on size and time."""

import functools
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Point

MAX_BYTES = 50_000
"""Largest length of a command that is parsed."""
MAX_SECONDS = 1.0
"""Most seconds for one parse; the grammar's scanner is quadratic on some texts."""
_ASCII = bytes(range(128)) + b"x" * 128
"""Characters outside ASCII: letters to the shell, but beyond the tables of the scanner, which would crash."""
_SHORT = 1_000
"""Bytes of a text that the scanner always reads fast enough, so that no time limit is needed."""


class UnreadableError(Exception):
    """The text can't be read: a syntax error, nested too deeply, too long, or too slow to parse."""


@functools.cache
def _load_parser() -> "Parser":
    """Returns the parser; imported with the first command, so that hooks, `status` and the start of the app stay fast."""
    import tree_sitter  # noqa: PLC0415
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def parse_shell(source: bytes) -> "Node":
    """Returns the root of the syntax tree of UTF-8 text, with positions in `source`. Raises UnreadableError."""
    if len(source) > MAX_BYTES:
        raise UnreadableError("too long")
    if b"\0" in source:
        raise UnreadableError("a NUL byte")
    root = _parse(source.translate(_ASCII))
    if root.has_error:
        raise UnreadableError("a syntax error")
    return root


def _parse(source: bytes) -> "Node":
    if len(source) <= _SHORT:
        return _load_parser().parse(source).root_node
    deadline = time.monotonic() + MAX_SECONDS

    def read(offset: int, _: "Point") -> bytes:
        return source[offset:]

    def is_late(_offset: int, _has_error: bool) -> bool:
        return time.monotonic() > deadline

    parser = _load_parser()
    try:
        return parser.parse(read, progress_callback=is_late).root_node
    except ValueError as error:
        parser.reset()
        raise UnreadableError("took too long") from error
