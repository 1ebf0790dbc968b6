"""Which of the processes that serve sessions run now."""

from collections.abc import Iterable, Iterator, Mapping

from atm_tui.model.facts import HookState, ProcessFact
from atm_tui.sources.process import ProcessTable


class RunningProcesses:
    """Looks each process up once, and all of them again at a sweep."""

    def __init__(self) -> None:
        self._table = ProcessTable()
        self._pids: dict[str, tuple[HookState, tuple[int, ...]]] = {}
        """By session id the state that was last seen, and the pids that it names."""
        self.running: dict[int, ProcessFact] = {}
        """Those that are known to run, by pid. Replaced, never changed: another thread may read it."""

    def refresh(
        self, states: Mapping[str, HookState], serving: Iterable[int], *, sweep: bool
    ) -> dict[int, ProcessFact]:
        """Returns the running processes among those that hooks saw or that the registry says are `serving` a session.

        Without `sweep`, only those are looked up that were not known to run.
        """
        pids = {*serving, *self._list_pids(states)}
        running = {} if sweep else dict(self.running)
        for pid in pids:
            if pid not in running and (process := self._table.look_up(pid)):
                running[pid] = process
        self.running = running
        return {pid: running[pid] for pid in pids if pid in running}

    def _list_pids(self, states: Mapping[str, HookState]) -> Iterator[int]:
        """The processes that hooks saw and whose end they did not see."""
        before, self._pids = self._pids, {}
        for key, state in states.items():
            known = before.get(key)
            if known is None or known[0] is not state:
                open_ended = (
                    pid for pid, each in state.processes.items() if not (each.ended and each.ended >= each.began)
                )
                known = (state, tuple(int(pid) for pid in open_ended if pid.isdecimal()))
            self._pids[key] = known
            yield from known[1]
