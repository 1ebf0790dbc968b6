"""Lists the newest tool calls of a session from its journal: what ran, for how long, and what went wrong. Pure."""

from collections.abc import Iterable

import msgspec

from atm_tui.timeline.event import Event


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call."""

    tool: str
    summary: str = ""
    at: float = 0.0
    """When it began, else when it ended."""
    ended_at: float | None = None
    """When it ended; None: it runs, or its end is unknown."""
    timed: bool = True
    """Whether its start and end are known."""
    error: str = ""
    agent_id: str | None = None


_ENDS = frozenset({"PostToolUse", "PostToolUseFailure", "PermissionDenied"})


def list_last_calls(events: Iterable[Event], limit: int) -> tuple[Call, ...]:
    """Returns the last `limit` tool calls among the events of a session (oldest first), newest last.

    A call without an end is over when its thread continues: at a PostToolBatch with its id, or at a new turn.
    """
    calls: dict[str, Call] = {}
    for number, event in enumerate(events):
        kind, agent = event.event, event.agent_id or None
        if kind == "PreToolUse" or kind in _ENDS:
            key = event.tool_use_id or f"{number}"
            calls[key] = _update_call(calls.get(key), event)
        elif kind == "PostToolBatch":
            for key in event.tool_use_ids:
                _close_call(calls, key)
        elif kind in ("UserPromptSubmit", "Stop", "StopFailure", "SubagentStop", "SessionEnd", "SessionStart"):
            for key, call in calls.items():
                if call.agent_id == agent or kind.startswith("Session"):
                    _close_call(calls, key)
    newest = sorted(calls.values(), key=lambda call: call.at)
    return tuple(newest[-limit:])


def _update_call(known: Call | None, event: Event) -> Call:
    """Updates a call by one of its events, which may come in any order."""
    begins, at = event.event == "PreToolUse", event.at
    error = event.error or ("interrupted" if event.is_interrupt else "")
    error = error or {"PostToolUseFailure": "failed", "PermissionDenied": "denied"}.get(event.event, "")
    if known is None:
        return Call(
            tool=event.tool,
            summary=event.summary,
            at=at,
            ended_at=None if begins else at,
            timed=begins,
            error=error,
            agent_id=event.agent_id or None,
        )
    return msgspec.structs.replace(
        known,
        summary=known.summary or event.summary,
        at=min(known.at, at),
        ended_at=known.ended_at if begins else at,
        timed=known.timed or begins,
        error=known.error or error,
    )


def _close_call(calls: dict[str, Call], key: str) -> None:
    call = calls.get(key)
    if call and call.ended_at is None:
        calls[key] = msgspec.structs.replace(call, ended_at=call.at, timed=False)
