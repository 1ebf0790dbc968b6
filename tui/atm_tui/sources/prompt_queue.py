"""Follows the queue of prompts that are typed while a turn runs, which the client records in the transcript."""

from collections.abc import Callable

import msgspec

LONGEST_QUEUE = 100
"""Number of prompts that are kept; the oldest are dropped."""


class PromptQueue:
    """Follows `queue-operation` lines: enqueue, dequeue (the oldest begins a turn), remove (the running turn took it in, or
    a person took it back), popAll (a person took all back). The client queues its own notifications as well.
    """

    def __init__(self, is_typed: Callable[[str], bool]) -> None:
        """`is_typed`: whether a text is a person's prompt, not one that the client wrote."""
        self._is_typed = is_typed
        self._items: list[tuple[str, float | None]] = []
        self.added_at: float | None = None
        """When a person's prompt was last queued; epoch seconds."""
        self.begun_at: float | None = None
        """When a turn last began with a person's queued prompt; epoch seconds."""

    @property
    def waiting(self) -> tuple[float, ...]:
        """The times at which the person's queued prompts came, oldest first."""
        return tuple(at or 0.0 for text, at in self._items if self._is_typed(text))

    def add(self, operation: str, content: msgspec.Raw, at: float | None) -> None:
        """Adds one line. Unknown operations change nothing."""
        text = _read_content(content)
        if operation == "enqueue":
            self._items = [*self._items, (text, at)][-LONGEST_QUEUE:]
            if self._is_typed(text):
                self.added_at = at
        elif operation == "popAll":
            self._items = [item for item in self._items if not self._is_typed(item[0])]
        elif operation in ("dequeue", "remove") and self._items:
            found = next((item for item in self._items if text and item[0] == text), self._items[0])
            self._items.remove(found)
            if operation == "dequeue" and self._is_typed(found[0]):
                self.begin(at)

    def begin(self, at: float | None) -> None:
        """Records that a turn began with a queued prompt."""
        self.begun_at = at


def _read_content(content: msgspec.Raw) -> str:
    """Returns the text of a queued prompt; a prompt with pictures is a list of blocks, and gives a placeholder."""
    raw = bytes(content)
    try:
        return msgspec.json.decode(raw, type=str) if raw.startswith(b'"') else "(blocks)" if raw else ""
    except (ValueError, RecursionError):
        return "(unreadable)"
