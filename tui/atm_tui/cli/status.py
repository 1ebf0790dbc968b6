"""`atm-tui status`: the fleet in one look, as lines or as JSON that others script against."""

import argparse
import sys
from typing import Any

import msgspec
from rich.cells import cell_len

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Agent, Session
from atm_tui.model.wait import Wait
from atm_tui.model.waited import measure_wait_today
from atm_tui.monitor.live import LiveMonitor
from atm_tui.text import age, clean, fit, money, percent
from atm_tui.view.status_text import describe_activity

SCHEMA = 1
_EMPTY = "No sessions yet. Start Claude Code in any terminal. `atm-tui install` registers the hooks, `atm-tui demo` shows the app."


def status_json(fleet: Fleet, at: float) -> dict[str, Any]:
    """The fleet in the shape that README, "Status as JSON", documents. Times are epoch seconds, unknown is None."""
    totals = fleet.totals()
    return {
        "schema": SCHEMA,
        "at": at,
        "sessions": [_session(session, at) for session in fleet.sessions.values()],
        "unreadable": [{"path": each.path, "problem": each.problem} for each in fleet.unreadable],
        "notices": list(fleet.health.notices),
        "totals": {
            "needs_you": totals.needs_you,
            "working": totals.working,
            "idle": totals.idle,
            "cost_usd": totals.cost_usd,
            "waited_today": round(fleet.waited(at), 1),
        },
    }


def _session(session: Session, at: float) -> dict[str, Any]:
    evidence = session.evidence
    return {
        "session_id": session.session_id,
        "name": session.name,
        "title": session.title,
        "kind": session.kind,
        "heard": session.heard,
        "project": session.project.name or None,
        "cwd": session.cwd or None,
        "branch": session.project.branch,
        "model": session.model,
        "permission_mode": session.permission_mode,
        "state": session.state.value,
        "detail": describe_activity(session.activity),
        "reason": session.reason.value if session.reason else None,
        "liveness": session.liveness.value,
        "ended_reason": session.ended_reason,
        "since": session.since or None,
        "unseen": session.unseen,
        "turns": session.turns,
        "last_prompt": session.last_prompt or None,
        "last_reply": session.last_reply or None,
        "pid": session.pid,
        "terminal": msgspec.to_builtins(session.terminal) | {"kind": session.terminal.kind},
        "waits": [_wait(wait) for wait in session.waits],
        "waited_today": round(measure_wait_today(session, at), 1),
        "agents": [_agent(agent) for agent in session.agents],
        "background": {"shells": session.background.shells, "agents": session.background.agents},
        "tools_used": session.tools_used,
        "files": msgspec.to_builtins(session.files),
        "errors": [msgspec.to_builtins(each) | {"agent_id": each.agent_id or None} for each in session.errors],
        "context": {
            "used_tokens": session.context.used_tokens,
            "window_tokens": session.context.window_tokens,
            "percent": session.context.percent,
            "source": session.context.source,
        },
        "cache_until": session.cache_until,
        "cost": {
            "usd": session.cost.usd,
            "source": session.cost.source,
            "unpriced_tokens": session.cost.unpriced_tokens,
        },
        "evidence": {"source": evidence.source, "event": evidence.event, "at": evidence.at, "agrees": evidence.agrees},
        "problem": session.problem,
    }


def _wait(wait: Wait) -> dict[str, Any]:
    return {
        "agent_id": wait.agent_id or None,
        "reason": wait.reason.value or None,
        "tool": wait.tool or None,
        "summary": wait.summary,
        "since": wait.since,
    }


def _agent(agent: Agent) -> dict[str, Any]:
    return {
        "agent_id": agent.agent_id,
        "name": agent.name,
        "kind": agent.kind,
        "type": agent.type,
        "description": agent.description,
        "parent": agent.parent,
        "state": agent.state.value,
        "detail": describe_activity(agent.activity),
        "since": agent.since or None,
        "ended_at": agent.ended_at,
        "model": agent.model,
        "tokens": agent.tokens.total if agent.tokens else None,
        "context_percent": agent.context.percent,
        "cost_usd": agent.cost.usd,
    }


def status_lines(fleet: Fleet, at: float) -> list[str]:
    """One line a session: state, name, project, what it does, context, cost, since when."""
    rows: list[tuple[str, ...]] = []
    for session in fleet.sessions.values():
        state = session.state.value.replace("_", " ") if session.liveness == "live" else session.liveness.value
        rows.append(
            (
                state,
                clean(session.name),
                clean(session.project.name),
                describe_activity(session.activity),
                percent(session.context.percent),
                money(session.cost.usd),
                age(at - session.since) if session.since else "–",
            )
        )
    return [*_aligned(rows), *(f"unreadable  {clean(each.path)}: {clean(each.problem)}" for each in fleet.unreadable)]


_LIMITS = (9, 32, 20, 48, 5, 9, 6)
_FIGURES = 4
"""Columns from this one on are right-aligned."""


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [min(limit, max((cell_len(row[at]) for row in rows), default=0)) for at, limit in enumerate(_LIMITS)]
    return [
        "  ".join(
            fit(cell, width, right=at >= _FIGURES) for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def add_status_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `status`."""
    parser.add_argument("--json", action="store_true", help="print JSON, as README documents it")


def run_status(args: argparse.Namespace, monitor: LiveMonitor) -> int:
    """Prints the fleet as it is now."""
    monitor.refresh()
    fleet, at = monitor.fleet, monitor.now()
    if args.json:
        text = msgspec.json.format(msgspec.json.encode(status_json(fleet, at)), indent=2).decode()
    else:
        text = "\n".join(
            [*(status_lines(fleet, at) or [_EMPTY]), *(f"! {clean(notice)}" for notice in fleet.health.notices)]
        )
    sys.stdout.write(text + "\n")
    return 0
