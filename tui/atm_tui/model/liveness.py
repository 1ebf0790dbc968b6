"""Decides whether a process serves a session, from the process table and the client's registry.

Age decides nothing while a pid is known: a tool may run for hours.
"""

from collections.abc import Mapping

from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.session import Liveness

SILENT = 8 * 3600.0
"""Seconds without events after which a session whose process is not known counts as lost."""
_SLACK = 2.0
"""Seconds by which a creation time, computed from clock ticks, may be off."""


def is_same_process(fact: ProcessFact | None, start: str | None, seen_at: float) -> bool:
    """Whether a running process is the one that was seen with this start (clock ticks) or, unknown, at this time."""
    if fact is None:
        return False
    if start and fact.start:
        return start == fact.start
    return not fact.created_at or not seen_at or fact.created_at <= seen_at + _SLACK


def find_live_entries(
    entries: tuple[RegistryEntry, ...], processes: Mapping[int, ProcessFact]
) -> tuple[RegistryEntry, ...]:
    """The entries whose process runs. After SIGKILL the client's file stays, and its pid may belong to another process by now."""
    return tuple(
        e for e in entries if is_same_process(processes.get(e.pid), e.proc_start, e.updated_at or e.started_at)
    )


def has_living_process(hooks: HookState, processes: Mapping[int, ProcessFact]) -> bool | None:
    """Whether any process that hooks saw, and that has not sent SessionEnd, still runs; None when they know no pid."""
    known = False
    for key, record in hooks.processes.items():
        if not key.isdecimal():
            continue
        known = True
        over = record.ended and record.ended >= record.began
        if not over and is_same_process(processes.get(int(key)), record.start, record.last):
            return True
    return False if known else None


def decide_liveness(
    hooks: HookState | None,
    live: tuple[RegistryEntry, ...],
    processes: Mapping[int, ProcessFact],
    serving: Mapping[int, str],
    boot_at: float,
    now: float,
) -> tuple[Liveness, str | None]:
    """Liveness and, for ended sessions, the reason.

    `live`: registry entries of this session whose process runs. `serving`: by pid, the session that the registry says it serves
    now; a process that went on to another session (/clear, /resume) serves this one no more.
    """
    if live:
        return Liveness.LIVE, None
    if hooks is None:
        return Liveness.LOST, None
    if not hooks.session_active:
        return Liveness.ENDED, hooks.ended.reason if hooks.ended else "other"
    moved = [
        key
        for key in hooks.processes
        if key.isdecimal() and serving.get(int(key), hooks.session_id) != hooks.session_id
    ]
    if moved and str(hooks.pid) in moved:
        return Liveness.ENDED, "moved"
    alive = has_living_process(hooks, processes)
    if alive is None:
        alive = hooks.updated_at > boot_at and now - hooks.updated_at < SILENT
    return (Liveness.LIVE if alive else Liveness.LOST), None
