"""The sessions of this machine as the facts make them: resolved, named apart, with the time waited today."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from atm_tui.model.facts import HookState
from atm_tui.model.project_names import ProjectNames
from atm_tui.model.resolve import Facts
from atm_tui.model.resolver import Resolver
from atm_tui.model.session import Session
from atm_tui.monitor.figures import Counted

if TYPE_CHECKING:
    from atm_tui.model.spans import Spans
    from atm_tui.monitor.limit_history import LimitHistory
    from atm_tui.timeline.time_waited import WaitTimes


class ResolvedSessions:
    """Resolves only what changed."""

    def __init__(self, state_dir: Path, portion: int | None, counted: Counted) -> None:
        """`portion`: bytes of journals that one `update` reads at most; None: all."""
        self.sessions: Mapping[str, Session] = {}
        """By id."""
        self.limits_full_at: Mapping[tuple[str, str], float] = {}
        """As in Fleet."""
        self._resolver = Resolver()
        self._names = ProjectNames()
        self._limits: LimitHistory | None = None
        if counted is not Counted.NOTHING:
            from atm_tui.monitor import limit_history  # noqa: PLC0415  as below

            self._limits = limit_history.LimitHistory(state_dir)
        self._waits: WaitTimes | None = None
        if counted in (Counted.AGENTS, Counted.PARTS):
            from atm_tui.timeline import time_waited  # noqa: PLC0415  not every command counts them

            self._waits = time_waited.WaitTimes(state_dir, portion)

    def update(
        self, facts: Mapping[str, Facts], states: Mapping[str, HookState], differing: frozenset[str], now: float
    ) -> set[str]:
        """Brings the sessions up to date with `now` (epoch seconds); returns the ids of those that differ, came or went.

        `states`: the state files by session id. `differing`: ids of the sessions whose facts do, came or went.
        """
        changed = self._resolver.update(facts, now, differing)
        changed = self._names.update(self._resolver.sessions, changed)
        self.sessions = self._names.sessions
        if self._waits is not None:
            changed = self._waits.update(states, self.sessions, changed | differing, now)
            self.sessions = self._waits.sessions
        if self._limits is not None:
            self.limits_full_at = self._limits.forecast(states, now, differing)
        return changed

    @property
    def waited_before(self) -> "Mapping[str, tuple[Spans, ...]]":
        """As in Fleet."""
        return self._waits.gone if self._waits is not None else {}

    @property
    def recheck_at(self) -> float | None:
        """When time alone changes a session, epoch seconds; None: never."""
        return self._resolver.recheck_at

    def find_recheck(self, session_id: str) -> float | None:
        """Returns the same for one of the sessions."""
        return self._resolver.find_recheck(session_id)

    @property
    def is_behind(self) -> bool:
        """Whether more can be read right away."""
        return self._waits is not None and self._waits.is_behind

    def keep_waits(self) -> None:
        """Keeps the time waited in a file from now on, as the app does."""
        if self._waits is not None:
            self._waits.writes = True
