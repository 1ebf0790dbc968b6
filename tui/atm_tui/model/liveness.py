"""Decides whether a process serves a session, from the process table and the client's registry.

While a pid is known, the age of the last event does not matter: a tool may run for hours.
"""

from collections.abc import Mapping

from atm_tui.model.facts import HookState, ProcessFact, RegistryEntry
from atm_tui.model.session import Liveness

SILENT = 8 * 3600.0
"""Seconds without events after which a session with an unknown process counts as lost."""
_SLACK = 2.0
"""Error, in seconds, of a creation time that was computed from clock ticks."""


def is_same_process(fact: ProcessFact | None, start: str | None, seen_at: float) -> bool:
    """Whether a running process is the one with this start (clock ticks), else, without a start, the one seen at this time."""
    if fact is None:
        return False
    if start and fact.start:
        return start == fact.start
    return not fact.created_at or not seen_at or fact.created_at <= seen_at + _SLACK


def find_live_entries(
    entries: tuple[RegistryEntry, ...], processes: Mapping[int, ProcessFact]
) -> tuple[RegistryEntry, ...]:
    """Returns the entries whose process runs. The files of killed clients stay, and their pids may be in use again."""
    return tuple(
        e for e in entries if is_same_process(processes.get(e.pid), e.proc_start, e.updated_at or e.started_at)
    )


def has_living_process(hooks: HookState, processes: Mapping[int, ProcessFact]) -> bool | None:
    """Whether a process that hooks saw, without a SessionEnd, still runs; None when they know no pid."""
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
    """Returns the liveness and, for ended sessions, the reason.

    `live`: registry entries of this session whose process runs. `serving`: by pid, the session that it serves now, by the
    registry; after /clear or /resume a process serves another session.
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
