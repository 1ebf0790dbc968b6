"""The commands that a stream takes on stdin, where they are switched on: what is asked, and what is replied.

docs/stream.md describes them. A request is decoded strictly: one with an unknown field is refused, since what that field asks
for would not be done. In a result, unknown fields are skipped.
"""

from typing import Annotated, Any

import msgspec

from atm_tui.model.checked import LATEST
from atm_tui.model.session import Unreadable

LONGEST_REQUEST = 1 << 16
"""Bytes of a line on stdin."""
LONGEST_REPLY = 1 << 20
"""Bytes of a reply."""
PAGE = 1 << 18
"""Bytes of what a reply holds at most, roughly; the asker asks for the next page."""

RequestId = Annotated[int, msgspec.Meta(ge=1, lt=2**53)]
SessionId = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
Number = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class StreamRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command on stdin. `beat` is one without more: the asker still listens; it is not replied to."""

    id: RequestId
    """The reply has the same."""
    command: str


class SessionRequest(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command about one session."""

    session_id: SessionId
    """Its id on the machine that is asked."""


class ExplainRequest(SessionRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for the lines of `atm-tui explain`, from one on."""

    begin: Number = 0


class ExplainResult(msgspec.Struct, frozen=True, kw_only=True):
    """A page of lines."""

    lines: tuple[str, ...] = ()
    begin: int = 0
    total: int = 0
    """Lines of all pages."""


class TimelineRequest(SessionRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for the recorded events of a session, from one on."""

    begin: Annotated[int, msgspec.Meta(ge=-1, lt=2**53)] = -1
    """The number of the first event; -1: the newest page."""
    count: str = ""
    """The name of the count that `begin` belongs to, as the result before had it; of another one, the newest page comes."""
    size: Annotated[int, msgspec.Meta(ge=0, le=PAGE)] = PAGE
    """Bytes of a page, roughly."""


class TimelineResult(msgspec.Struct, frozen=True, kw_only=True):
    """A page of events, oldest first."""

    events: tuple[Any, ...] = ()
    """As in the journal: hooks/README.md has the fields."""
    begin: int = 0
    total: int = 0
    """Events so far."""
    count: str = ""


class PeekRequest(SessionRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for the full inputs of the calls that wait for a person."""


class PeekResult(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs by the keys of the waits; without those that are not known, or too long."""

    inputs: dict[str, dict[str, Any]] = {}


class ConversationRequest(SessionRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks which files the conversation of a session has; with `file`, for bytes of one of them."""

    file: Annotated[str, msgspec.Meta(max_length=512)] = ""
    """As the list names it."""
    begin: Number = 0
    """Offset in bytes."""
    size: Annotated[int, msgspec.Meta(ge=0, le=PAGE)] = PAGE


class ConversationFile(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript: that of the session, which comes first, or of a subagent."""

    name: Annotated[str, msgspec.Meta(max_length=512)]
    size: Number = 0
    """Bytes."""
    inode: Number = 0
    """Another number: another file, to be read from the start."""
    meta: bytes = b""
    """What Claude Code notes of the subagent, as JSON."""


class ConversationResult(msgspec.Struct, frozen=True, kw_only=True):
    """The files, or bytes of one: fewer than asked for where it ends."""

    files: tuple[ConversationFile, ...] = ()
    data: bytes = b""
    """As base64."""


class JumpRequest(SessionRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for the terminal of a session to be shown, in a terminal that a person has open there."""


class JumpResult(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, for a person."""

    text: str = ""


class UsageRequest(StreamRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks for what the sessions used since a moment, from one entry on."""

    since: Annotated[float, msgspec.Meta(ge=0, lt=LATEST)] | None = None
    """Epoch seconds; None: from the beginning."""
    begin: Number = 0


class UsageResult(msgspec.Struct, frozen=True, kw_only=True):
    """A page of sums, each of one session, project, model and quarter of an hour; none until all is read: ask again."""

    is_complete: bool = False
    done_bytes: int = 0
    total_bytes: int = 0
    """Of transcripts."""
    buckets: tuple[Any, ...] = ()
    begin: int = 0
    total: int = 0
    """Sums of all pages."""
    titles: dict[str, str] = {}
    """Of the sessions on this page."""
    project_names: dict[str, str] = {}
    unreadable: tuple[Unreadable, ...] = ()
