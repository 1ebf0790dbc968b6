"""Finds the tool calls in a transcript that have no result yet."""

import re
from collections.abc import Callable
from functools import cache

import msgspec

from atm_hooks.payload import summarize_input
from atm_tui.model.decoding import make_json_decoder
from atm_tui.model.transcript import RunningCall

MOST_CALLS = 32
"""Number of calls without a result that are kept; the oldest are dropped."""


@cache
def _find_tool_use() -> "Callable[[memoryview], re.Match[bytes] | None]":
    return re.compile(b'"tool_use"').search


@cache
def _find_results() -> "Callable[[memoryview], list[bytes]]":
    return re.compile(rb'"tool_use_id":\s*"([^"\\]+)"').findall


class _CallBlock(msgspec.Struct):
    type: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw()


@cache
def _make_decoder() -> "msgspec.json.Decoder[list[_CallBlock]]":
    return make_json_decoder(list[_CallBlock])


class OpenCalls(msgspec.Struct, array_like=True):
    """Follows the messages of one thread."""

    calls: dict[str, tuple[str, bytes, str, float | None]] = {}
    """By the id of a call: tool, input as JSON, its summary if the input was dropped, and time."""

    @property
    def newest(self) -> RunningCall | None:
        """The open call that began last; None without any."""
        if not self.calls:
            return None
        tool, given, summary, at = list(self.calls.values())[-1]
        return RunningCall(tool=tool, summary=_summarize(tool, given) if given else summary, at=at)

    def drop_inputs(self) -> None:
        """Reduces each input to its summary, for a file that must not contain contents of files."""
        self.calls = {
            key: (tool, b"", _summarize(tool, given) if given else summary, at)
            for key, (tool, given, summary, at) in self.calls.items()
        }

    def add_answer(self, content: msgspec.Raw, at: float | None) -> None:
        """Adds the content of an assistant line."""
        if not _find_tool_use()(memoryview(content)):
            return
        try:
            blocks = _make_decoder().decode(content)
        except (ValueError, RecursionError):
            return
        for block in blocks:
            if block.type == "tool_use" and block.id and block.name:
                self.calls[block.id] = (block.name, bytes(block.input), "", at)
        while len(self.calls) > MOST_CALLS:
            del self.calls[next(iter(self.calls))]

    def add_results(self, content: msgspec.Raw) -> None:
        """Adds the content of a user line with results: their calls have ended."""
        if self.calls:
            for found in _find_results()(memoryview(content)):
                self.calls.pop(found.decode("utf-8", "replace"), None)

    def clear(self) -> None:
        """Ends all calls, since a turn began or ended."""
        self.calls.clear()


def _summarize(tool: str, given: bytes) -> str:
    try:
        return summarize_input(tool, msgspec.json.decode(given))
    except (ValueError, RecursionError):
        return ""
