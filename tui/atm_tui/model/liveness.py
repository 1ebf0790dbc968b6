"""Decides whether a process serves a session, from the process table and the client's registry.

While a pid is known, the age of the last event does not matter: a tool may run for hours.
"""

from collections.abc import Mapping

import msgspec

from atm_tui.model.facts import HookProcess, HookState, ProcessFact, RegistryEntry
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.model.session import Liveness

SILENT = 8 * 3600.0
"""Seconds without events after which a session whose process can't be looked up counts as lost."""
_SLACK = 2.0
"""Error, in seconds, of a creation time that was computed from clock ticks."""


def _is_young(last: float, place: Place, boot_at: float, now: float) -> bool:
    """Whether a process that can't be looked up may still run: it was last heard of at `last`. Epoch seconds.

    No container outlives its machine.
    """
    return last > now - SILENT and (place is Place.MACHINE or last > boot_at)


def is_same_process(fact: ProcessFact | None, start: str | None, seen_at: float) -> bool:
    """Whether a running process is the one with this start (clock ticks), else, without a start, the one seen at this time."""
    if fact is None:
        return False
    if start and fact.start:
        return start == fact.start
    return not fact.created_at or not seen_at or fact.created_at <= seen_at + _SLACK


class Vantage(msgspec.Struct, frozen=True, kw_only=True):
    """The viewpoint: whose pids can be looked up, and when."""

    pid_domain: str = ""
    """Our own; empty where the system does not tell: then every pid is one of ours."""
    boot_at: float = 0.0
    """When our machine started; epoch seconds."""
    now: float = 0.0


def find_live_entries(
    entries: tuple[RegistryEntry, ...],
    processes: Mapping[int, ProcessFact],
    vantage: Vantage = Vantage(),  # noqa: B008  frozen
    heard_at: float = 0.0,
) -> tuple[RegistryEntry, ...]:
    """Returns the entries whose process runs. The files of killed clients stay, and their pids may be in use again.

    A pid that is not one of ours can't be looked up: its entry counts while it, or a hook at `heard_at`, is young.
    """
    return tuple(entry for entry in entries if _is_live_entry(entry, processes, vantage, heard_at))


def _is_live_entry(
    entry: RegistryEntry, processes: Mapping[int, ProcessFact], vantage: Vantage, heard_at: float
) -> bool:
    place = find_place(entry.pid_domain, vantage.pid_domain)
    if place is not Place.HERE:
        last = max(entry.updated_at, entry.status_at, entry.started_at, heard_at)
        return _is_young(last, place, vantage.boot_at, vantage.now)
    process = processes.get(entry.pid)
    return is_same_process(process, entry.proc_start, entry.updated_at or entry.started_at)


def find_hook_place(key: str, record: HookProcess, entries: tuple[RegistryEntry, ...], own: str) -> Place:
    """Returns where a process runs that hooks saw; an older hook tells no domain, but a registry entry with its pid may."""
    domain = record.domain or next((entry.pid_domain for entry in entries if str(entry.pid) == key), None)
    return find_place(domain, own)


def list_living_pids(
    hooks: HookState,
    entries: tuple[RegistryEntry, ...],
    processes: Mapping[int, ProcessFact],
    vantage: Vantage,
) -> list[int] | None:
    """Returns the processes that hooks saw, that have not sent SessionEnd, and that still run; None when hooks know no pid."""
    known, alive = False, []
    for key, record in hooks.processes.items():
        if not key.isdecimal():
            continue
        known = True
        if record.ended and record.ended >= record.began:
            continue
        place = find_hook_place(key, record, entries, vantage.pid_domain)
        if (
            _is_young(record.last, place, vantage.boot_at, vantage.now)
            if place is not Place.HERE
            else is_same_process(processes.get(int(key)), record.start, record.last)
        ):
            alive.append(int(key))
    return alive if known else None


def decide_liveness(
    hooks: HookState | None,
    live: tuple[RegistryEntry, ...],
    processes: Mapping[int, ProcessFact],
    serving: Mapping[int, str],
    boot_at: float,
    now: float,
    *,
    pid_domain: str = "",
    entries: tuple[RegistryEntry, ...] = (),
) -> tuple[Liveness, str | None]:
    """Returns the liveness and, for ended sessions, the reason.

    `live`: of the registry `entries` of this session, those whose process runs. `serving`: by pid, the session that the
    registry says it serves now; a process that went on to another session (/clear, /resume) serves this one no more.
    `pid_domain`: our own.
    """
    vantage = Vantage(pid_domain=pid_domain, boot_at=boot_at, now=now)
    if live:
        return Liveness.LIVE, None
    if hooks is None:
        return Liveness.LOST, None
    if not hooks.session_active:
        return Liveness.ENDED, hooks.ended.reason if hooks.ended else "other"
    moved = [
        key
        for key in hooks.processes
        if key.isdecimal()
        and find_hook_place(key, hooks.processes[key], entries, pid_domain) is Place.HERE
        and serving.get(int(key), hooks.session_id) != hooks.session_id
    ]
    if moved and str(hooks.pid) in moved:
        return Liveness.ENDED, "moved"
    living = list_living_pids(hooks, entries, processes, vantage)
    alive = bool(living)
    if living is None:
        alive = hooks.updated_at > boot_at and now - hooks.updated_at < SILENT
    return (Liveness.LIVE if alive else Liveness.LOST), None
