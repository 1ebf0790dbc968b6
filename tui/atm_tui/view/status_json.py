"""Builds the JSON of `atm-tui status --json`."""

from collections.abc import Iterable
from typing import Any

import msgspec

from atm_tui.model.fleet import Fleet
from atm_tui.model.machine import Machine
from atm_tui.model.session import Agent, Session
from atm_tui.model.task import Task
from atm_tui.model.task_list import find_current_task
from atm_tui.model.unknown_fields import add_unknown
from atm_tui.model.wait import Wait
from atm_tui.model.waited import measure_wait_today
from atm_tui.view.limits_json import build_limits_json
from atm_tui.view.status_text import describe_activity

SCHEMA = 1


def build_status_json(fleet: Fleet, at: float, sessions: Iterable[Session] | None = None) -> dict[str, Any]:
    """Returns the fleet in the documented shape. Times are epoch seconds; unknown values are None.

    `sessions`: those that are listed; None: all. Limits and totals are always those of the whole fleet.
    """
    listed = fleet.sessions.values() if sessions is None else sessions
    totals = fleet.compute_totals()
    return {
        "schema": SCHEMA,
        "at": at,
        "sessions": [build_session_json(session, at) for session in listed],
        "unreadable": [{"path": each.path, "problem": each.problem} for each in fleet.unreadable],
        "notices": list(fleet.health.notices),
        "machines": [_describe_machine(each) for each in fleet.machines],
        "limits": build_limits_json(fleet, at),
        "totals": {
            "needs_you": totals.needs_you,
            "working": totals.working,
            "idle": totals.idle,
            "cost_usd": totals.cost_usd,
            "older": fleet.older,
            "waited_today": round(fleet.measure_waited(at), 1),
        },
    }


def build_session_json(session: Session, at: float) -> dict[str, Any]:
    """Returns one session in the documented shape; of another machine, with the fields that a later version there sends."""
    found = _describe_session(session, at)
    there = session.elsewhere
    return add_unknown(found, there.unknown.get("session")) if there is not None and there.unknown else found


def _describe_session(session: Session, at: float) -> dict[str, Any]:
    evidence = session.evidence
    return {
        "session_id": session.session_id,
        "name": session.name,
        "title": session.title,
        "machine": session.machine or None,
        "silent_since": session.elsewhere.silent_since if session.elsewhere else None,
        "kind": session.kind,
        "heard": session.is_reported,
        "team": msgspec.to_builtins(session.membership),
        "project": session.project.name or None,
        "project_root": session.project.root or None,
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
        "queued": session.queued,
        "last_prompt": session.last_prompt or None,
        "last_reply": session.last_reply or None,
        "pid": session.pid,
        "place": session.place.value,
        "processes": [
            {"pid": each.pid, "place": each.place.value, "status": each.status or None}
            | {"tty": each.terminal.tty, "pane": each.terminal.pane}
            for each in session.processes
        ],
        "terminal": msgspec.to_builtins(session.terminal) | {"kind": session.terminal.kind},
        "waits": [_describe_wait(wait) for wait in session.waits],
        "waited_today": round(measure_wait_today(session, at), 1),
        "agents": [_describe_agent(agent, session) for agent in session.agents],
        "tasks": [_describe_task(task) for task in session.tasks],
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
            "inherited_usd": session.cost.inherited_usd,
            "unpriced_tokens": session.cost.unpriced_tokens,
        },
        "evidence": {"source": evidence.source, "event": evidence.event, "at": evidence.at, "agrees": evidence.agrees},
        "problem": session.problem,
    }


def _describe_machine(machine: Machine) -> dict[str, Any]:
    found = {
        "machine": machine.name,
        "link": machine.link.value,
        "silent_since": machine.silent_since,
        "clock_ahead": round(machine.ahead, 1),
        "version": machine.version or None,
        "problem": machine.problem or None,
        "counts": None if machine.counts is None else msgspec.to_builtins(machine.counts),
    }
    return machine.unknown | found


def _describe_wait(wait: Wait) -> dict[str, Any]:
    return {
        "agent_id": wait.agent_id or None,
        "reason": wait.reason.value or None,
        "tool": wait.tool or None,
        "summary": wait.summary,
        "since": wait.since,
    }


def _describe_task(task: Task) -> dict[str, Any]:
    return {
        "task_id": task.task_id,
        "subject": task.subject,
        "state": task.state.value,
        "owner": task.owner or None,
        "blocked_by": list(task.blocked_by),
    }


def _describe_agent(agent: Agent, session: Session) -> dict[str, Any]:
    task = find_current_task(session.tasks, agent.name) if agent.kind == "teammate" else None
    return {
        "agent_id": agent.agent_id,
        "name": agent.name,
        "kind": agent.kind,
        "color": agent.color or None,
        "task_id": task.task_id if task else None,
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
