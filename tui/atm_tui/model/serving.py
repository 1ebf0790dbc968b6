"""Finds the processes that serve a session, and the one of them that matters: it asks, else it is the busiest. Pure."""

from collections.abc import Mapping

from atm_tui.model.facts import HookProcess, HookState, ProcessFact, RegistryEntry
from atm_tui.model.liveness import Vantage, find_hook_place, list_living_pids
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.model.session import ServingProcess, State
from atm_tui.model.status import rank_entry
from atm_tui.model.terminal import find_terminal


def list_serving(
    hooks: HookState | None,
    live: tuple[RegistryEntry, ...],
    entries: tuple[RegistryEntry, ...],
    processes: Mapping[int, ProcessFact],
    vantage: Vantage,
    state: State,
) -> tuple[ServingProcess, ...]:
    """Returns all processes that serve a session, the one that matters first.

    `live`: of its registry `entries`, those whose process runs. `state`: its state; if it needs the user, the process
    that asks comes first.
    """
    deciding = hooks.decided_by.pid if hooks else ""
    found = [
        ((*_rank_need(entry, deciding, state), *rank_entry(entry)), _describe_entry(entry, hooks, processes, vantage))
        for entry in live
    ]
    listed = {entry.pid for entry in live}
    for pid in (list_living_pids(hooks, entries, processes, vantage) or ()) if hooks else ():
        record = hooks.processes[str(pid)] if hooks else HookProcess()
        if pid not in listed and not _is_stale(pid, entries, live):
            asks = state is State.NEEDS_YOU and str(pid) == deciding
            serving = _describe_hook_process(pid, record, entries, processes, vantage)
            found.append(((False, asks, -1, record.last), serving))
    found.sort(key=lambda item: item[0], reverse=True)
    return tuple(process for _, process in found)


def _rank_need(entry: RegistryEntry, deciding: str, state: State) -> tuple[bool, bool]:
    asks = state is State.NEEDS_YOU
    return asks and entry.status == "waiting", asks and str(entry.pid) == deciding


def _is_stale(pid: int, entries: tuple[RegistryEntry, ...], live: tuple[RegistryEntry, ...]) -> bool:
    """Whether the registry knows a process, and that it has ended or serves another session."""
    return any(entry.pid == pid for entry in entries) and not any(entry.pid == pid for entry in live)


def _describe_entry(
    entry: RegistryEntry, hooks: HookState | None, processes: Mapping[int, ProcessFact], vantage: Vantage
) -> ServingProcess:
    place = find_place(entry.pid_domain, vantage.pid_domain)
    record = hooks.processes.get(str(entry.pid)) if hooks else None
    process = processes.get(entry.pid) if place is Place.HERE else None
    return ServingProcess(
        pid=entry.pid if place is Place.HERE else None,
        place=place,
        terminal=find_terminal(record.terminal if record else {}, entry.tmux, process.tty if process else None),
        status=f"{entry.status or ''} {entry.waiting_for}".strip(),
    )


def _describe_hook_process(
    pid: int,
    record: HookProcess,
    entries: tuple[RegistryEntry, ...],
    processes: Mapping[int, ProcessFact],
    vantage: Vantage,
) -> ServingProcess:
    place = find_hook_place(str(pid), record, entries, vantage.pid_domain)
    process = processes.get(pid) if place is Place.HERE else None
    return ServingProcess(
        pid=pid if place is Place.HERE else None,
        place=place,
        terminal=find_terminal(record.terminal, None, process.tty if process else None),
    )
