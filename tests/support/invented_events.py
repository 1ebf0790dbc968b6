"""Events of an invented hour in the sessions of `fleets.make_busy_fleet`: for the timeline's picture and tests."""

from typing import Any

from atm_tui.model.session import Cost, Liveness, Project, Session
from tests.support.fleets import NOW, make_busy_fleet
from tests.support.memory_monitor import MemoryMonitor

_HOUR: tuple[tuple[float, str, str, dict[str, Any]], ...] = (
    (-4210, "0a11", "SessionStart", {"source": "startup"}),
    (-2500, "0c11", "SessionStart", {"source": "resume"}),
    (-2480, "0c11", "UserPromptSubmit", {"prompt": "Upgrade the cluster to Postgres 17, one replica at a time."}),
    (-2475, "0c11", "PreToolUse", {"tool": "Bash", "tool_use_id": "u1", "summary": "pg_upgrade --check", "hash": "h1"}),
    (-2411, "0c11", "PostToolUse", {"tool": "Bash", "tool_use_id": "u1", "summary": "pg_upgrade --check"}),
    (-1890, "0a13", "UserPromptSubmit", {"prompt": "Why is the test suite slow on CI but not here?"}),
    (-1866, "0a13", "PreToolUse", {"tool": "Bash", "tool_use_id": "u2", "summary": "gh run view --log", "hash": "h2"}),
    (
        -1860,
        "0a13",
        "PostToolUseFailure",
        {"tool": "Bash", "tool_use_id": "u2", "summary": "gh run view --log", "is_interrupt": True},
    ),
    (-900, "0b13", "SessionStart", {"source": "startup"}),
    (-640, "0c11", "StopFailure", {"error": "overloaded"}),
    (-420, "0b12", "UserPromptSubmit", {"prompt": "Bring the three pages on webhooks up to date."}),
    (-400, "0b12", "PreToolUse", {"tool": "Edit", "tool_use_id": "u3", "summary": "webhooks.md"}),
    (-399.6, "0b12", "PostToolUse", {"tool": "Edit", "tool_use_id": "u3", "summary": "webhooks.md"}),
    (-250, "0b12", "Stop", {"reply": "Updated the three pages."}),
    (
        -192,
        "0a11",
        "UserPromptSubmit",
        {"prompt": "Add the migration for the orders table, run it against the test database."},
    ),
    (-190, "0a11", "SubagentStart", {"agent_id": "a1", "agent_type": "Explore"}),
    (-186, "0a11", "SubagentStart", {"agent_id": "a2", "agent_type": "Plan"}),
    (-170, "0a11", "PreToolUse", {"tool": "Grep", "tool_use_id": "u4", "summary": "order_id", "agent_id": "a1"}),
    (-169.5, "0a11", "PostToolUse", {"tool": "Grep", "tool_use_id": "u4", "summary": "order_id", "agent_id": "a1"}),
    (-150, "0b11", "UserPromptSubmit", {"prompt": "The login button does nothing on Safari. Find out why and fix it."}),
    (-140, "0b11", "PreToolUse", {"tool": "Bash", "tool_use_id": "u5", "summary": "npm test -- login", "hash": "h5"}),
    (-139, "0b11", "PermissionRequest", {"tool": "Bash", "summary": "npm test -- login", "hash": "h5"}),
    (-101, "0b11", "PostToolUse", {"tool": "Bash", "tool_use_id": "u5", "summary": "npm test -- login"}),
    (-100.5, "0b11", "PostToolBatch", {"tool_use_ids": ["u5"]}),
    (
        -73,
        "0a11",
        "PreToolUse",
        {
            "tool": "Bash",
            "tool_use_id": "u6",
            "summary": "npm run migrate -- --env test",
            "hash": "h6",
            "agent_id": "a1",
        },
    ),
    (
        -72,
        "0a11",
        "PermissionRequest",
        {"tool": "Bash", "summary": "npm run migrate -- --env test", "hash": "h6", "agent_id": "a1"},
    ),
    (-41, "0a12", "UserPromptSubmit", {"prompt": "Split the repository module by aggregate."}),
    (-30, "0b13", "PreToolUse", {"tool": "Edit", "tool_use_id": "u7", "summary": "ja.json"}),
    (
        -29,
        "0b13",
        "PostToolUseFailure",
        {"tool": "Edit", "tool_use_id": "u7", "summary": "ja.json", "error": "String not found"},
    ),
    (
        -15,
        "0b11",
        "PreToolUse",
        {
            "tool": "AskUserQuestion",
            "tool_use_id": "u8",
            "summary": "Which colour should the button have while it is disabled?",
            "hash": "h8",
        },
    ),
    (
        -14,
        "0b11",
        "PermissionRequest",
        {
            "tool": "AskUserQuestion",
            "summary": "Which colour should the button have while it is disabled?",
            "hash": "h8",
        },
    ),
)


def make_event(at: float, session_id: str, kind: str, **details: Any) -> dict[str, Any]:
    """One event as it stands in a journal; `at` counts from the pictures' moment."""
    return {"at": NOW + at, "session_id": session_id, "event": kind, "cwd": "/home/user/src", **details}


def fill_hour(monitor: MemoryMonitor) -> None:
    """The busy fleet with its last hour."""
    monitor.put(make_busy_fleet())
    for at, session_id, kind, details in _HOUR:
        monitor.events.setdefault(session_id, []).append(make_event(at, session_id, kind, **details))


def _make_ended(name: str, project: str, hours: float, prompt: str, usd: float, *, lost: bool = False) -> Session:
    return Session(
        session_id=name,
        name=name,
        project=Project(root=f"/home/user/src/{project}", name=project, branch="main"),
        liveness=Liveness.LOST if lost else Liveness.ENDED,
        ended_at=NOW - hours * 3600,
        since=NOW - hours * 3600,
        last_prompt=prompt,
        cost=Cost(usd=usd, source="statusline"),
    )


def fill_history(monitor: MemoryMonitor) -> None:
    """The busy fleet, and what ended in the days before."""
    over = [
        _make_ended("rate-limits", "shop-api", 3.2, "Answer 429 with a Retry-After header, and test it.", 2.31),
        _make_ended(
            "Fix the flaky checkout test",
            "shop-web",
            5.5,
            "Run it fifty times, then tell me how often it failed.",
            0.88,
        ),
        _make_ended("rotate-keys", "infra", 9, "Rotate the signing keys of staging only.", 1.04, lost=True),
        _make_ended("orders-index", "shop-api", 26, "Explain the query plan before and after the index.", 3.77),
        _make_ended("注文一覧の並べ替え", "shop-web", 31, "日付で並べ替えられるようにして。", 0.52),
        _make_ended(
            "Why does the login page load so slowly?", "shop-web", 50, "Measure it with a cold cache as well.", 1.95
        ),
        _make_ended("terraform-modules", "infra", 75, "Split the network module in two.", 6.12),
        _make_ended("login-emails", "shop-api", 98, "Use the new template for the login mail.", 0.73),
    ]
    monitor.put([*make_busy_fleet(), *over])
