"""A conversation as its transcript tells it: entries, each with the place of its text in a file, and the texts."""

from enum import Enum
from typing import Any

import msgspec


class EntryKind(Enum):
    """What an entry is."""

    PROMPT = "prompt"
    """What a person wrote, or of a subagent: what the session asked of it."""
    NOTE = "note"
    """What the client wrote in place of a person: commands, notifications, the summary of a compaction."""
    REPLY = "reply"
    THINKING = "thinking"
    CALL = "call"
    """A call of a tool, with its result."""
    RESULT = "result"
    """A result without a call."""
    AGENT = "agent"
    """A subagent; `name` is its id. Its own entries follow where it is unfolded."""
    EVENT = "event"
    """Something that the client reports, such as a compaction."""
    UNREADABLE = "unreadable"
    """A damaged line, or one that is too long."""


Key = tuple[str, str, int, int]


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a text is: a block of a line of a transcript."""

    offset: int
    """Offset of the line in bytes."""
    size: int
    """Bytes of the line."""
    number: int
    """Number of the block in its line."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """An entry, without its text."""

    place: Place
    kind: EntryKind
    thread: str = ""
    """The subagent in whose thread it is; empty for the session's own thread."""
    name: str = ""
    """Tool of a call; id of a subagent."""
    call_id: str = ""
    at: float | None = None
    """Epoch seconds."""

    @property
    def key(self) -> Key:
        """A key that stays the same while the transcript grows."""
        if self.kind is EntryKind.AGENT:
            return (self.thread, self.name, 0, 0)
        return (self.thread, "", self.place.offset, self.place.number)


class EntryText(msgspec.Struct, frozen=True):
    """What an entry says."""

    text: str = ""
    given: dict[str, Any] | None = None
    """The input of a call."""
    result: str | None = None
    """The result of a call; None while there is none."""
    is_failed: bool = False
    """Whether the result is an error, or the text one of the API."""
    result_size: int = 0
    """Bytes of a result that was not read, since it is long."""
    is_missing: bool = False
    """Whether the file no longer has it."""
