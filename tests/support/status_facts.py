"""Facts of one invented session, from which its status is decided."""

from typing import Any

from atm_tui.model.activity import ActivityKind
from atm_tui.model.facts import (
    HookActivity,
    HookState,
    RegistryEntry,
)
from atm_tui.model.status_value import Status
from atm_tui.model.wait import Reason, Wait
from atm_tui.view.status_text import describe_activity

NOW = 1_000_000.0


def make_hooks(kind: str, since: float, **given: Any) -> HookState:
    began = given.pop("began", since if kind in ("thinking", "tool") else 0.0)
    activity = HookActivity(
        kind=ActivityKind(kind),
        since=since,
        began=began,
        tool=given.pop("tool", "Bash" if kind == "tool" else ""),
        summary=given.pop("summary", "npm test" if kind == "tool" else ""),
        error=given.pop("error", ""),
    )
    return HookState(schema=1, session_id="s", activity=activity, last_event="some", **given)


def make_registry(status: str | None, at: float, waiting_for: str = "", pid: int = 7) -> tuple[RegistryEntry, ...]:
    return (
        RegistryEntry(
            pid=pid, session_id="s", status=status, status_at=at, waiting_for=waiting_for, started_at=NOW - 900
        ),
    )


def make_ask(since: float, agent: str = "") -> Wait:
    return Wait(
        key=f"{agent}|Bash", agent_id=agent, reason=Reason.PERMISSION, tool="Bash", summary="npm test", since=since
    )


def describe_status(status: Status) -> tuple[str, str, str]:
    return status.state.value, describe_activity(status.activity), status.evidence.source
