"""Finds out which of the processes that serve sessions run."""

from collections.abc import Iterable, Iterator, Mapping

from atm_tui.model.facts import HookState, ProcessFact
from atm_tui.model.pid_domain import Place, find_place
from atm_tui.sources.process import ProcessTable


class RunningProcesses:
    """Looks up each process once, and all of them again in a sweep."""

    def __init__(self, pid_domain: str = "") -> None:
        """`pid_domain`: our own; pids of another one are not looked up."""
        self._pid_domain = pid_domain
        self._table = ProcessTable()
        self._pids: dict[str, tuple[HookState, tuple[int, ...]]] = {}
        """By session id: the last state, and the pids in it."""
        self.pids: frozenset[int] = frozenset()
        """All pids that were looked up in the last `refresh`."""
        self.running: dict[int, ProcessFact] = {}
        """The running processes by pid. Always replaced and never changed, since another thread may read it."""

    def refresh(
        self, states: Mapping[str, HookState], serving: Iterable[int], *, sweep: bool
    ) -> dict[int, ProcessFact]:
        """Returns the running processes among those that hooks saw or that the registry says are `serving` a session.

        Without `sweep`, looks up only those that were not known to run.
        """
        pids = self.pids = frozenset((*serving, *self._list_pids(states)))
        running = {} if sweep else dict(self.running)
        for pid in pids:
            if pid not in running and (process := self._table.look_up(pid)):
                running[pid] = process
        self.running = running
        return {pid: running[pid] for pid in pids if pid in running}

    def _list_pids(self, states: Mapping[str, HookState]) -> Iterator[int]:
        """Returns the processes that hooks saw, without those whose end they saw."""
        before, self._pids = self._pids, {}
        for key, state in states.items():
            known = before.get(key)
            if known is None or known[0] is not state:
                open_ended = (
                    pid
                    for pid, each in state.processes.items()
                    if not (each.ended and each.ended >= each.began)
                    and find_place(each.domain, self._pid_domain) is Place.HERE
                )
                known = (state, tuple(int(pid) for pid in open_ended if pid.isdecimal()))
            self._pids[key] = known
            yield from known[1]
