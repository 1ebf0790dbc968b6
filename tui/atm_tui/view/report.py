"""Builds the bundle for a bug report: events and derived facts, without a person's text, paths or tool input."""

import hashlib
import platform
from collections.abc import Sequence
from typing import Any

import msgspec

from atm_tui import __version__
from atm_tui.model.pid_domain import find_place
from atm_tui.model.resolve import Facts
from atm_tui.model.session import Session
from atm_tui.timeline.event import Event

_KEPT = frozenset(
    {
        "at",
        "event",
        "session_id",
        "agent_id",
        "agent_type",
        "prompt_id",
        "prompt_kind",
        "tool",
        "tool_use_id",
        "hash",
        "permission_mode",
        "effort",
        "model",
        "pid",
        "pid_start",
        "source",
        "reason",
        "trigger",
        "error",
        "is_interrupt",
        "ran",
        "decision",
        "by",
        "after",
        "notification_type",
        "background_tasks",
        "background_partial",
        "crons",
        "tool_use_ids",
        "child",
        "child_status",
        "child_model",
        "action",
        "task_id",
        "other_fields",
        "entrypoint",
        "subagent_type",
        "created",
        "metrics",
        "version",
    }
)
"""Fields of an event that hold no file name and no text of a person."""


def build_report(facts: Facts, session: Session, events: Sequence[Event], key: bytes) -> dict[str, Any]:
    """Returns the bundle: events and derived facts, without any text of a person, path or tool input.

    `key`: random, for this bundle only, never stored. Equal tool inputs have equal hashes within the bundle, but
    nobody can verify a guess of what an input was.
    """
    evidence, note = msgspec.to_builtins(session.evidence), session.evidence.note
    registry = [
        {
            key: value
            for key, value in msgspec.to_builtins(entry).items()
            if key not in ("cwd", "config_dir", "name", "tmux", "pid_domain")
        }
        | {"place": find_place(entry.pid_domain, facts.pid_domain).value}  # the domain contains the id of a machine
        for entry in facts.registry
    ]
    return {
        "atm_tui": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "client": session.version,
        "session": {
            "session_id": session.session_id,
            "state": session.state.value,
            "detail": session.activity.kind.value,
            "reason": session.reason or None,
            "liveness": session.liveness.value,
            "since": session.since,
            "evidence": {**evidence, "note": note and f"{note.kind.value} {note.activity.kind.value}".strip()},
            "waits": [
                {
                    "reason": wait.reason or None,
                    "tool": wait.tool or None,
                    "agent_id": wait.agent_id or None,
                    "since": wait.since,
                }
                for wait in session.waits
            ],
            "agents": [
                {"agent_id": a.agent_id, "type": a.type, "state": a.state.value, "since": a.since}
                for a in session.agents
            ],
            "terminal": session.terminal.kind,
        },
        "registry": registry,
        "processes": [
            {"pid": pid, "start": fact.start, "created_at": fact.created_at} for pid, fact in facts.processes.items()
        ]
        if len(facts.processes) < 3
        else len(facts.processes),
        "transcript": _describe_transcript(facts),
        "events": [_redact(event, key) for event in events],
    }


def _describe_transcript(facts: Facts) -> dict[str, Any] | None:
    transcript = facts.transcript
    if transcript is None:
        return None
    return {
        "exists": transcript.exists,
        "interruption": msgspec.to_builtins(transcript.interruption),
        "last_line_at": transcript.last_line_at,
        "turn_ended_at": transcript.turn_ended_at,
        "api_error": transcript.api_error_kind,
        "skipped_lines": transcript.skipped_lines,
    }


def _redact(given: Event, key: bytes) -> dict[str, Any]:
    event = given.to_raw()
    kept = {key: value for key, value in event.items() if key in _KEPT}
    if kept.get("background_tasks"):
        kept["background_tasks"] = [
            {k: task[k] for k in ("id", "type", "status") if k in task} for task in kept["background_tasks"]
        ]
    if "error" in kept and event["event"] != "StopFailure":
        kept["error"] = "[redacted]"
    if "hash" in kept:
        kept["hash"] = hashlib.blake2b(kept["hash"].encode(), key=key, digest_size=8).hexdigest()
    left_out = sorted(key for key in event if key not in _KEPT)
    return {**kept, "redacted": left_out} if left_out else kept
