"""The commands that a stream takes on stdin, where they are switched on: what is asked, and what is replied.

docs/stream.md describes them. A request is decoded strictly: one with an unknown field is refused, since what that field asks
for would not be done. In a result, unknown fields are skipped.
"""

from typing import Annotated

import msgspec

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
