"""Totals, waits and projects of the sessions of a fleet, brought up to date only for sessions that changed. Pure."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from atm_tui.model.activity import ActivityKind
from atm_tui.model.board import is_waiting, order_waits
from atm_tui.model.session import Liveness, Session, State

if TYPE_CHECKING:
    from atm_tui.model.sorting import Group, Groups

_NOTED = (ActivityKind.FAILED, ActivityKind.FINISHED)


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over live sessions, and the cost of all sessions that are shown (USD; None while none is known)."""

    needs_you: int = 0
    working: int = 0
    idle: int = 0
    cost_usd: float | None = None
    is_pending: bool = False
    """Whether the cost of some session is not known yet, since its transcript is still being read."""


class FleetIndex:
    """Results about all sessions together. They are values that never change, since another thread may hold them."""

    def __init__(self) -> None:
        self.totals = Totals()
        self.waiting: tuple[Session, ...] = ()
        """The live sessions that need you, oldest wait first."""
        self.groups: Groups = ()
        """The sessions by project, both in the order of their start, so that rows never move."""
        self.limited: tuple[Session, ...] = ()
        """The sessions whose limits are known."""
        self.delayed: tuple[Session, ...] = ()
        """The sessions that wait, or waited today."""
        self.noted: tuple[Session, ...] = ()
        """The live sessions that need you, or whose turn has failed or finished, in no order."""
        self._noted: dict[str, Session] = {}
        self._limited: dict[str, Session] = {}
        self._delayed: dict[str, Session] = {}
        self._states: dict[str, State] = {}
        self._counts = dict.fromkeys(State, 0)
        self._costs: dict[str, float] = {}
        self._pending: set[str] = set()
        self._waiting: dict[str, Session] = {}
        self._roots: dict[str, str] = {}
        self._members: dict[str, dict[str, Session]] = {}
        """By root of the project: its sessions by id."""
        self._places: dict[str, int] = {}
        """By root: which of the groups it is."""

    def update(self, sessions: Mapping[str, Session], changed: Collection[str], *, is_reordered: bool) -> None:
        """Brings all results up to date.

        `sessions`: by id, oldest start first. `changed`: ids of those that differ since the last call, came or went.
        `is_reordered`: whether one came, went, or began at another time.
        """
        for key in changed:
            self._drop(key)
            if (session := sessions.get(key)) is not None:
                self._add(key, session)
        self.totals = Totals(
            needs_you=self._counts[State.NEEDS_YOU],
            working=self._counts[State.WORKING],
            idle=self._counts[State.IDLE],
            cost_usd=_sum_exactly(self._costs.values()) if self._costs else None,
            is_pending=bool(self._pending),
        )
        self.waiting = order_waits(self._waiting.values())
        self.limited, self.delayed = tuple(self._limited.values()), tuple(self._delayed.values())
        self.noted = tuple(self._noted.values())
        roots = {key: sessions[key].root for key in changed if key in sessions}
        if is_reordered or any(self._roots.get(key) != root for key, root in roots.items()):
            self._group_all(sessions, changed)
        else:
            self._replace_members(sessions, roots)

    def _drop(self, key: str) -> None:
        if (state := self._states.pop(key, None)) is not None:
            self._counts[state] -= 1
        self._costs.pop(key, None)
        self._waiting.pop(key, None)
        self._limited.pop(key, None)
        self._delayed.pop(key, None)
        self._noted.pop(key, None)
        self._pending.discard(key)

    def _add(self, key: str, session: Session) -> None:
        if session.liveness is Liveness.LIVE:
            self._states[key] = session.state
            self._counts[session.state] += 1
        if session.cost.usd is not None:
            self._costs[key] = session.cost.usd
        if session.cost.is_pending:
            self._pending.add(key)
        if session.limits is not None:
            self._limited[key] = session
        if session.waited or session.waits:
            self._delayed[key] = session
        if is_waiting(session):
            self._waiting[key] = session
        if session.liveness is Liveness.LIVE and (session.state is State.NEEDS_YOU or session.activity.kind in _NOTED):
            self._noted[key] = session

    def _group_all(self, sessions: Mapping[str, Session], changed: Collection[str]) -> None:
        for key in changed:
            if (session := sessions.get(key)) is not None:
                self._roots[key] = session.root
            else:
                self._roots.pop(key, None)
        self._members = {}
        for key, session in sessions.items():
            self._members.setdefault(self._roots[key], {})[key] = session
        self._places = {root: place for place, root in enumerate(self._members)}
        self.groups = tuple(_make_group(members) for members in self._members.values())

    def _replace_members(self, sessions: Mapping[str, Session], roots: Mapping[str, str]) -> None:
        for key, root in roots.items():
            self._members[root][key] = sessions[key]
        groups = list(self.groups)
        for root in set(roots.values()):
            groups[self._places[root]] = _make_group(self._members[root])
        self.groups = tuple(groups)


def _make_group(members: Mapping[str, Session]) -> "Group":
    ordered = tuple(members.values())
    return ordered[0].project, ordered


def _sum_exactly(costs: Iterable[float]) -> float:
    """Returns the sum, which does not depend on the order."""
    return sum(sorted(costs))  # loading math, for fsum, takes longer
