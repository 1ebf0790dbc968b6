"""The newest tool calls of a session, from the events in its journal: what ran, for how long, and what went wrong. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One tool call."""

    tool: str
    summary: str = ""
    at: float = 0.0
    """When it began; when it ended, where its begin was not told."""
    ended_at: float | None = None
    """None: it runs, or its end was never told."""
    timed: bool = True
    """Whether both ends are known."""
    error: str = ""
    agent_id: str | None = None


_ENDS = frozenset({"PostToolUse", "PostToolUseFailure", "PermissionDenied"})


def last_calls(events: Iterable[Mapping[str, Any]], limit: int) -> tuple[Call, ...]:
    """The last `limit` tool calls among the events of one session (oldest first), newest last.

    A call that nothing ended is over when its thread went on: at a PostToolBatch that names it, or a new turn.
    """
    calls: dict[str, Call] = {}
    for number, event in enumerate(events):
        kind, at = str(event.get("event")), float(event.get("at") or 0.0)
        agent = _text(event, "agent_id") or None
        if kind == "PreToolUse" or kind in _ENDS:
            key = _text(event, "tool_use_id") or f"{number}"
            known = calls.get(key)
            calls[key] = _joined(known, event, kind, at, agent)
        elif kind == "PostToolBatch":
            for key in event.get("tool_use_ids") or ():
                _close(calls, str(key))
        elif kind in ("UserPromptSubmit", "Stop", "StopFailure", "SubagentStop", "SessionEnd", "SessionStart"):
            for key, call in calls.items():
                if call.agent_id == agent or kind.startswith("Session"):
                    _close(calls, key)
    newest = sorted(calls.values(), key=lambda call: call.at)
    return tuple(newest[-limit:])


def _joined(known: Call | None, event: Mapping[str, Any], kind: str, at: float, agent: str | None) -> Call:
    """A call with one more event of it; events may come in any order."""
    begins = kind == "PreToolUse"
    error = _text(event, "error") or ("interrupted" if event.get("is_interrupt") else "")
    error = error or {"PostToolUseFailure": "failed", "PermissionDenied": "denied"}.get(kind, "")
    if known is None:
        return Call(
            tool=_text(event, "tool"),
            summary=_text(event, "summary"),
            at=at,
            ended_at=None if begins else at,
            timed=begins,
            error=error,
            agent_id=agent,
        )
    return msgspec.structs.replace(
        known,
        summary=known.summary or _text(event, "summary"),
        at=min(known.at, at),
        ended_at=known.ended_at if begins else at,
        timed=known.timed or begins,
        error=known.error or error,
    )


def _close(calls: dict[str, Call], key: str) -> None:
    call = calls.get(key)
    if call and call.ended_at is None:
        calls[key] = msgspec.structs.replace(call, ended_at=call.at, timed=False)


def _text(event: Mapping[str, Any], key: str) -> str:
    value = event.get(key)
    return value if isinstance(value, str) else ""
