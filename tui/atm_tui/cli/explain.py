"""`atm-tui explain` and `atm-tui report`: why a session is shown as it is, for its user and for a bug report."""

import argparse
import platform
import sys
from pathlib import Path
from typing import Any

import msgspec

from atm_hooks import journal
from atm_tui import __version__
from atm_tui.jump.find_old import NotFoundError, find_session
from atm_tui.model.resolve import Facts
from atm_tui.model.session import Session
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.explain import explain

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
"""Fields of an event that name no file and hold no text of a person."""


def add_explain_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `explain`."""
    parser.add_argument("id", metavar="ID", help="the start of the session's id or name")


def run_explain(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints every fact behind the status of one session."""
    found = _look(args.id, monitor)
    if found is None:
        return 1
    facts, session = found
    events = journal.history(str(monitor.state_dir), session.session_id)
    sys.stdout.write("\n".join(explain(facts, session, events, monitor.now())) + "\n")
    return 0


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `report`."""
    add_explain_arguments(parser)
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="where to write it (default: atm-report-ID.json, here)"
    )
    parser.add_argument("--yes", action="store_true", help="write it without asking")


def run_report(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Shows a bundle for a bug report, with prompts, paths and tool input redacted, and writes it when its user agrees."""
    found = _look(args.id, monitor)
    if found is None:
        return 1
    facts, session = found
    bundle = report(facts, session, journal.history(str(monitor.state_dir), session.session_id))
    text = msgspec.json.format(msgspec.json.encode(bundle), indent=1).decode()
    sys.stdout.write(text + "\n")
    path = args.output or Path(f"atm-report-{session.session_id[:8]}.json")
    if not args.yes:
        if not sys.stdin.isatty():
            sys.stderr.write(f"atm-tui: this would go to {path}; --yes writes it\n")
            return 0
        sys.stderr.write(f"Write this to {path}? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            sys.stderr.write("Nothing written.\n")
            return 0
    try:
        path.write_text(text + "\n", "utf-8")
    except OSError as error:
        sys.stderr.write(f"atm-tui: {path}: {error.strerror}; choose another place with --output\n")
        return 1
    sys.stderr.write(f"Written to {path}.\n")
    return 0


def _look(wanted: str, monitor: LiveMonitor) -> tuple[Facts, Session] | None:
    monitor.refresh()
    try:
        session = find_session(monitor.fleet.sessions.values(), wanted)
    except NotFoundError as error:
        sys.stderr.write(f"atm-tui: {error}\n")
        return None
    return monitor.reader.facts[session.session_id], session


def report(facts: Facts, session: Session, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The bundle: what happened and what was made of it, without any text of a person, path or tool input."""
    evidence, note = msgspec.to_builtins(session.evidence), session.evidence.note
    registry = [
        {
            key: value
            for key, value in msgspec.to_builtins(entry).items()
            if key not in ("cwd", "config_dir", "name", "tmux")
        }
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
        "transcript": _told(facts),
        "events": [_redacted(event) for event in events],
    }


def _told(facts: Facts) -> dict[str, Any] | None:
    told = facts.transcript
    if told is None:
        return None
    return {
        "exists": told.exists,
        "interruption": msgspec.to_builtins(told.interruption),
        "last_line_at": told.last_line_at,
        "turn_ended_at": told.turn_ended_at,
        "api_error": told.api_error_kind,
        "skipped_lines": told.skipped_lines,
    }


def _redacted(event: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in event.items() if key in _KEPT}
    if isinstance(kept.get("background_tasks"), list):
        kept["background_tasks"] = [
            {k: task[k] for k in ("id", "type", "status") if k in task} for task in kept["background_tasks"]
        ]
    if "error" in kept and event["event"] != "StopFailure":
        kept["error"] = "[redacted]"
    left_out = sorted(key for key in event if key not in _KEPT)
    return {**kept, "redacted": left_out} if left_out else kept
