"""Follows the queue of prompts that are typed while a turn runs, which the client records in the transcript."""

import msgspec

from atm_tui.sources.typed_text import is_typed_text

LONGEST_QUEUE = 100
"""Number of prompts that are kept; the oldest are dropped."""
_LONGEST = 500
"""Characters of a prompt that are kept."""


class PromptQueue(msgspec.Struct, array_like=True):
    """Follows `queue-operation` lines: enqueue, dequeue (the oldest begins a turn), remove (the running turn took it in, or
    a person took it back), popAll (a person took all back). The client queues its own notifications as well.
    """

    items: list[tuple[str, float | None]] = []
    """Text and time of each queued prompt, oldest first."""
    added_at: float | None = None
    """When a person's prompt was last queued; epoch seconds."""
    begun_at: float | None = None
    """When a turn last began with a person's queued prompt; epoch seconds."""

    @property
    def waiting(self) -> tuple[float, ...]:
        """The times at which the person's queued prompts came, oldest first."""
        return tuple(at or 0.0 for text, at in self.items if is_typed_text(text))

    def add(self, operation: str, content: msgspec.Raw, at: float | None) -> None:
        """Adds one line. Unknown operations change nothing."""
        text = _read_content(content)[:_LONGEST]
        if operation == "enqueue":
            self.items = [*self.items, (text, at)][-LONGEST_QUEUE:]
            if is_typed_text(text):
                self.added_at = at
        elif operation == "popAll":
            self.items = [item for item in self.items if not is_typed_text(item[0])]
        elif operation in ("dequeue", "remove") and self.items:
            found = next((item for item in self.items if text and item[0] == text), self.items[0])
            self.items.remove(found)
            if operation == "dequeue" and is_typed_text(found[0]):
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
