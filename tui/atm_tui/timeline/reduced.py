"""What is published of an event, by level. Pure."""

import re

import msgspec

from atm_tui.model.fleet_server import Level
from atm_tui.timeline.event import Event

SAMPLE = "Sample"
"""Our name of a statusLine sample: figures, which the state of the session has."""
PUBLISHED = (
    "at",
    "session_id",
    "event",
    "model",
    "permission_mode",
    "effort",
    "version",
    "agent_id",
    "agent_type",
    "prompt_id",
    "prompt_kind",
    "trigger",
    "tool",
    "tool_use_id",
    "tool_use_ids",
    "ran",
    "is_interrupt",
    "created",
    "subagent_type",
    "child",
    "child_status",
    "child_model",
    "notification_type",
    "decision",
    "by",
    "after",
)
"""The fields that are published with STATES: names that programs gave, ids, figures."""
WORDS = {"SessionStart": "source", "SessionEnd": "reason", "StopFailure": "error"}
"""Events with a field that is one of the client's own words: it is published with STATES as well."""
_WORD = re.compile(r"\w{1,40}", re.ASCII)


def encode_event(event: Event, level: Level) -> bytes | None:
    """Returns an event as a line of a journal, with what a level publishes of it; None: nothing."""
    if level is Level.COUNTS or event.event == SAMPLE:
        return None
    if level is Level.FULL:
        return msgspec.json.encode(event)
    kept = {field: getattr(event, field) for field in PUBLISHED}
    if (field := WORDS.get(event.event)) and _WORD.fullmatch(getattr(event, field)):
        kept[field] = getattr(event, field)
    return msgspec.json.encode(Event(**kept))
