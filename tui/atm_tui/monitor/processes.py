"""Finds out which of the processes that serve sessions are running."""

from collections.abc import Collection, Container, Iterator, Mapping

from atm_tui.model.facts import HookState, ProcessFact
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.sources.process import ProcessTable


class RunningProcesses:
    """Looks up each process once, and all of them again in a sweep."""

    def __init__(self, pid_domain: str = "") -> None:
        """`pid_domain`: our own; pids of another one are not looked up."""
        self._pid_domain = pid_domain
        self._table = ProcessTable()
        self._named: dict[str, tuple[int, ...]] = {}
        """By session id: the pids in its state."""
        self._serving: Collection[int] = ()
        self.pids: frozenset[int] = frozenset()
        """All pids that were looked up in the last `refresh`."""
        self.running: dict[int, ProcessFact] = {}
        """The running processes by pid. Replaced when they differ, and never changed, since another thread may read it."""
        self.followed: Container[int] = ()
        """The pids of which the system reports the end."""
        self._trusted: set[int] = set()
        """Those that still ran when watching for their end began: a sweep skips them until they end."""

    def refresh(
        self,
        states: Mapping[str, HookState],
        serving: Collection[int],
        changed: Collection[str] | None = None,
        *,
        sweep: bool,
    ) -> dict[int, ProcessFact]:
        """Returns the running processes among those that hooks saw or that the registry says are `serving` a session.

        `changed`: ids of sessions whose states differ from the last call; None: any. Without `sweep`, looks up only those
        not known to be running.
        """
        self._collect_pids(states, serving, states.keys() | self._named.keys() if changed is None else changed)
        known = self.running
        kept = {pid: known[pid] for pid in self._trusted if pid in known and pid in self.followed} if sweep else known
        found = {pid: process for pid in self.pids - kept.keys() if (process := self._table.look_up(pid))}
        running = {**kept, **found}
        if sweep:
            self._trusted = {pid for pid in running if pid in self.followed}
        if not running.keys() <= self.pids:
            running = {pid: running[pid] for pid in self.pids if pid in running}
        if running != known:
            self.running = running
        return self.running

    def _collect_pids(
        self, states: Mapping[str, HookState], serving: Collection[int], changed: Collection[str]
    ) -> None:
        """Collects the pids to look up, from the states that changed and all others."""
        is_same = serving is self._serving
        self._serving = serving
        for key in changed:
            pids = tuple(self._list_pids(states[key])) if key in states else ()
            is_same = is_same and pids == self._named.get(key, ())
            if pids:
                self._named[key] = pids
            else:
                self._named.pop(key, None)
        if not is_same:
            self.pids = frozenset((*serving, *(pid for pids in self._named.values() for pid in pids)))

    def _list_pids(self, state: HookState) -> Iterator[int]:
        """Returns the processes that hooks reported, except those whose end they reported."""
        for pid, each in state.processes.items():
            is_over = each.ended and each.ended >= each.began
            if pid.isdecimal() and not is_over and find_place(each.domain, self._pid_domain) is Place.HERE:
                yield int(pid)
