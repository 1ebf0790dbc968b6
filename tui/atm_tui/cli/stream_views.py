"""What `atm-tui stream` replies about one session: its explanation, its events, the inputs that wait, and its conversation."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from atm_tui.cli.stream_served import RefusedError, Served
from atm_tui.model.session import Session
from atm_tui.model.stream_commands import (
    PAGE,
    ConversationRequest,
    ConversationResult,
    ExplainRequest,
    ExplainResult,
    PeekRequest,
    PeekResult,
    TimelineRequest,
    TimelineResult,
)
from atm_tui.sources.conversation_files import describe_transcript, list_conversation, read_piece
from atm_tui.timeline.event import Event
from atm_tui.timeline.journals import JournalReader, read_history
from atm_tui.view.explain import explain

FOLLOWED = 8
"""Sessions whose events are kept in memory between two requests."""


def find_asked(session_id: str, served: Served) -> Session:
    """Returns a session by its id. Raises RefusedError for one that is unknown, or on another machine."""
    session = served.monitor.fleet.sessions.get(session_id)
    if session is None:
        raise RefusedError("there is no such session")
    if session.elsewhere is not None:
        raise RefusedError(f"it runs on {session.elsewhere.machine}: ask that machine")
    return session


def explain_session(asked: ExplainRequest, served: Served) -> ExplainResult:
    """Returns a page of the lines of `atm-tui explain`. Raises RefusedError, and OSError if the journal can't be read."""
    session, monitor = find_asked(asked.session_id, served), served.monitor
    facts = monitor.reader.facts.get(session.session_id)
    if facts is None:
        raise RefusedError("there is no such session")
    events = read_history(monitor.state_dir, session.session_id)
    lines = [line[: PAGE // 8] for line in explain(facts, session, events, monitor.now())]
    return ExplainResult(lines=tuple(take_page(lines[asked.begin :])), begin=asked.begin, total=len(lines))


def take_page(values: Sequence[Any], room: int = PAGE) -> Sequence[Any]:
    """Returns the first values, as many as `room` bytes take, and one at least."""
    for number, value in enumerate(values):
        room -= len(msgspec.json.encode(value)) + 1
        if number and room < 0:
            return values[:number]
    return values


# Events


class _Followed:
    """The events of one session so far."""

    def __init__(self, state_dir: Path, session_id: str) -> None:
        self._reader = JournalReader(state_dir, session_id, None)
        self.name = secrets.token_hex(4)
        self.events: list[Event] = []

    def read(self) -> None:
        """Reads what is new."""
        self.events += self._reader.read_events()


def list_events(asked: TimelineRequest, served: Served) -> TimelineResult:
    """Returns a page of events: from `begin` on, or the newest ones. Raises RefusedError."""
    key = find_asked(asked.session_id, served).session_id
    kept: dict[str, _Followed] = served.kept.setdefault("timeline", {})
    followed = kept.pop(key, None) or _Followed(served.monitor.state_dir, key)
    kept[key] = followed  # the last one is the newest
    while len(kept) > FOLLOWED:
        del kept[next(iter(kept))]
    followed.read()
    events, begin = followed.events, asked.begin
    if begin < 0 or asked.count != followed.name:
        begin = len(events) - len(take_page(events[::-1], asked.size))
    page = tuple(take_page(events[begin:], asked.size))
    return TimelineResult(events=page, begin=begin, total=len(events), count=followed.name)


# What waits


def peek_session(asked: PeekRequest, served: Served) -> PeekResult:
    """Returns the full inputs of the calls that wait for a person. Raises RefusedError."""
    session = find_asked(asked.session_id, served)
    found: dict[str, dict[str, Any]] = {}
    room = PAGE
    for key, given in served.monitor.contents.find_inputs(session).items():
        room -= len(msgspec.json.encode(given))
        if room >= 0:
            found[key] = given
    return PeekResult(inputs=found)


# The conversation


def read_conversation(asked: ConversationRequest, served: Served) -> ConversationResult:
    """Returns the transcripts of a session, or bytes of one. Raises RefusedError, and OSError when it can't be read.

    No path comes from outside: a file is one that the list has.
    """
    session = find_asked(asked.session_id, served)
    if not session.transcript_path:
        raise RefusedError("it has no transcript yet")
    paths = list_conversation(session.transcript_path)
    if not asked.file:
        return ConversationResult(files=tuple(describe_transcript(name, path) for name, path in paths.items()))
    if asked.file not in paths:
        raise RefusedError("it has no such transcript")
    return ConversationResult(data=read_piece(paths[asked.file], asked.begin, asked.size))
