"""Resolves only the sessions that may have changed since the last call: resolving a thousand would take too long."""

from collections.abc import Collection, Mapping

from atm_tui.model.resolve import Facts, ResolvedSession, resolve
from atm_tui.model.session import Session

_SPARE = 64
"""Number of queue entries, beyond two per session, after which outdated entries are dropped."""


class Resolver:
    """Resolves sessions, and keeps each result until new facts, or the time, can change it."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        """The sessions by id, as of the last `update`. An unchanged session is the same object as before."""
        self._known: dict[str, tuple[Facts, ResolvedSession]] = {}
        self._queue: list[tuple[float, str]] = []
        """A heap of the times (epoch seconds) at which time alone may change a session; some are outdated."""
        self._new: list[tuple[float, str]] = []
        """Those that are not in it yet: a command that reads once needs no heap."""
        self._at = float("-inf")

    @property
    def recheck_at(self) -> float | None:
        """When the passing of time alone may change a session next, in epoch seconds."""
        queue = self._queue
        if self._new or queue:
            import heapq  # noqa: PLC0415  as above

            for each in self._new:
                heapq.heappush(queue, each)
            self._new.clear()
            while queue and not self._holds(*queue[0]):
                heapq.heappop(queue)
        return queue[0][0] if queue else None

    def find_recheck(self, session_id: str) -> float | None:
        """Returns the same for one of the sessions."""
        return self._known[session_id][1].recheck_at

    def update(self, facts: Mapping[str, Facts], now: float, changed: Collection[str] | None = None) -> set[str]:
        """Brings `sessions` up to date with `now` (epoch seconds); returns the ids of those that differ, came or went.

        `changed`: ids of the sessions whose facts differ since the last call, came or went; None: any.
        """
        if changed is None:
            changed = facts.keys() | self._known.keys()
        back, self._at = now < self._at, now
        due = set(self._known) if back else self._take_due(now)
        differing = set()
        for key in due.union(changed):
            if key not in facts:
                if self._known.pop(key, None) is not None:
                    del self.sessions[key]
                    differing.add(key)
            elif (was := self._known.get(key)) is None or key in due or was[0] != facts[key]:
                resolved = resolve(facts[key], now)
                self._known[key] = facts[key], resolved
                if resolved.recheck_at is not None:
                    self._new.append((resolved.recheck_at, key))
                if was is None or was[1].session != resolved.session:
                    self.sessions[key] = resolved.session
                    differing.add(key)
        if len(self._queue) + len(self._new) > 2 * len(self._known) + _SPARE:
            self._new = [each for each in (*self._queue, *self._new) if self._holds(*each)]
            self._queue = []
        return differing

    def _take_due(self, now: float) -> set[str]:
        due = set()
        while (at := self.recheck_at) is not None and at <= now:
            import heapq  # noqa: PLC0415  as above

            due.add(heapq.heappop(self._queue)[1])
        return due

    def _holds(self, at: float, key: str) -> bool:
        """Whether a later result has not replaced an entry of the queue."""
        return key in self._known and self._known[key][1].recheck_at == at
