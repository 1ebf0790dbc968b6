"""The store of the app: sessions, requests and flags, what changed since the last drain, and sums over all sessions."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import msgspec

from atm_tui.model.board import order_waits
from atm_tui.model.flags import SessionFlags, is_snoozed
from atm_tui.model.request import Arming, Decision, Request
from atm_tui.model.session import Liveness, Session, State, Unreadable
from atm_tui.model.sorting import Groups
from atm_tui.model.spans import Spans
from atm_tui.model.waited import measure_wait_today, sum_waits_today


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over live sessions, and the cost of all sessions that are shown (USD; None while none is known)."""

    needs_you: int = 0
    working: int = 0
    idle: int = 0
    cost_usd: float | None = None
    is_pending: bool = False
    """Whether the cost of some session is not known yet, since its transcript is still being read."""


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Warnings for the header: full sentences with the next step, most urgent first."""

    hooks: str = "installed"
    """installed | missing | stale | disabled | unreadable: the worst of all config folders in use."""
    last_event_at: float | None = None
    """Time of the newest hook event; None when there was none."""
    without_hooks: int = 0
    """Number of live sessions without any hook event."""
    notices: tuple[str, ...] = ()


WITHOUT_SCREEN = frozenset({"headless", "background"})
"""The kinds of sessions that can be hidden."""


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """Ids that came, changed or went since the last drain."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unreadable: bool = False
    """Whether the unreadable files changed."""
    health: bool = False
    asked: bool = False
    """Whether the requests changed, or whether this app takes answers."""

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.unreadable or self.health or self.asked)


class Fleet:
    """The one store of the app. Only `update` writes it; widgets read it and drain what changed."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._drained: dict[str, Session] = {}
        self._unreadable: tuple[Unreadable, ...] = ()
        self._health = Health()
        self.today: float | None = None
        """USD since midnight, over all sessions of this machine; None: not counted yet."""
        self.limits_full_at: Mapping[tuple[str, str], float] = {}
        """When limits will be reached at the pace of the last half hour (epoch seconds), by config folder and window."""
        self.waited_before: Mapping[str, tuple[Spans, ...]] = {}
        """Today's waits of sessions that are no longer listed, by the root of their project."""
        self.flags: Mapping[str, SessionFlags] = {}
        """The user's flags, by session id."""
        self.snoozed: frozenset[str] = frozenset()
        """Ids of the sessions that are snoozed now."""
        self.hidden_kinds: frozenset[str] = frozenset()
        """Kinds of sessions that the next update leaves out."""
        self.hidden: frozenset[str] = frozenset()
        """Ids of the sessions that are left out."""
        self.arming = Arming.OFF
        """Whether this app takes answers now."""
        self.dangers: Mapping[str, tuple[str, ...]] = {}
        """Reasons to confirm a yes to a request, by its nonce. Requests without an entry need no confirmation."""
        self.risks: Mapping[str, tuple[tuple[str, ...], ...]] = {}
        """The same for each suggestion of a request, by its nonce."""
        self._requests: dict[str, Request] = {}
        self._asked_changed = False
        self._unreadable_changed = False
        self._health_changed = False
        # Computed values, each with the sessions that it was computed from: another thread may replace these meanwhile.
        self._totals: tuple[dict[str, Session], Totals] = ({}, Totals())
        self._attention: tuple[dict[str, Session], frozenset[str], tuple[Session, ...]] = ({}, frozenset(), ())
        self._projects: tuple[dict[str, Session], Groups] = ({}, ())

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Sessions by id, oldest start first."""
        return MappingProxyType(self._sessions)

    @property
    def requests(self) -> Mapping[str, Request]:
        """The requests that can be answered from here, by nonce, oldest first."""
        return MappingProxyType(self._requests)

    def list_dangers(self, request: Request, decision: Decision) -> tuple[str, ...]:
        """Returns the reasons to confirm this answer; none for a no."""
        if decision.kind == "deny":
            return ()
        found = list(self.dangers.get(request.nonce, ()))
        risks = self.risks.get(request.nonce, ())
        for each in decision.suggestions:
            found += risks[each] if each < len(risks) else ()
        return tuple(dict.fromkeys(found))

    def list_requests(self, session_id: str) -> tuple[Request, ...]:
        """Returns the requests of one session, oldest first."""
        return tuple(each for each in self._requests.values() if each.session_id == session_id)

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """State files that hold no session."""
        return self._unreadable

    @property
    def health(self) -> Health:
        """Whether hooks are installed and send events."""
        return self._health

    def update(
        self, sessions: Iterable[Session], unreadable: Iterable[Unreadable] = (), health: Health | None = None
    ) -> bool:
        """Replaces sessions, unreadable files and health; returns whether anything differs from before."""
        everyone = sorted(sessions, key=lambda session: (session.started_at, session.session_id))
        new = {each.session_id: each for each in everyone if each.kind not in self.hidden_kinds}
        hidden = frozenset(each.session_id for each in everyone if each.kind in self.hidden_kinds)
        files = tuple(sorted(unreadable, key=lambda each: each.path))
        changed = new != self._sessions or list(new) != list(self._sessions) or hidden != self.hidden
        if changed:
            self._sessions, self.hidden = new, hidden
        if files != self._unreadable:
            self._unreadable, self._unreadable_changed = files, True
        if health is not None and health != self._health:
            self._health, self._health_changed = health, True
        return changed or self._unreadable_changed or self._health_changed

    def apply_flags(self, flags: Mapping[str, SessionFlags], now: float) -> bool:
        """Replaces the flags, and decides what is snoozed at `now` (epoch seconds). Returns whether anything differs."""
        flagged = ((self._sessions[key], each) for key, each in flags.items() if key in self._sessions)
        asleep = {session.session_id for session, each in flagged if is_snoozed(session, each, now)}
        differs = flags != self.flags or asleep != self.snoozed
        if differs:
            self.flags, self.snoozed = dict(flags), frozenset(asleep)
        return differs

    def update_requests(
        self,
        requests: Iterable[Request],
        dangers: Mapping[str, tuple[str, ...]],
        arming: Arming,
        risks: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType({}),
    ) -> bool:
        """Replaces the requests, and whether this app takes answers. Returns whether anything differs."""
        new = {each.nonce: each for each in sorted(requests, key=lambda each: (each.at, each.nonce))}
        differs = (new, dangers, risks, arming) != (self._requests, self.dangers, self.risks, self.arming)
        self._requests, self.dangers, self.risks, self.arming = new, dict(dangers), dict(risks), arming
        self._asked_changed |= differs
        return differs

    def drain(self) -> Delta:
        """Returns what differs from the last drain. A session that came and went in between is in none of the lists."""
        old, new = self._drained, self._sessions
        delta = Delta(
            added=tuple(key for key in new if key not in old),
            changed=tuple(key for key, session in new.items() if key in old and old[key] != session),
            removed=tuple(key for key in old if key not in new),
            unreadable=self._unreadable_changed,
            health=self._health_changed,
            asked=self._asked_changed,
        )
        self._drained = dict(new)
        self._unreadable_changed = self._health_changed = self._asked_changed = False
        return delta

    def compute_totals(self) -> Totals:
        """Returns the number of live sessions by state, and the cost of all sessions in the fleet."""
        sessions = self._sessions
        if self._totals[0] is sessions:
            return self._totals[1]
        live = [session.state for session in sessions.values() if session.liveness is Liveness.LIVE]
        costs = [session.cost.usd for session in sessions.values() if session.cost.usd is not None]
        totals = Totals(
            needs_you=live.count(State.NEEDS_YOU),
            working=live.count(State.WORKING),
            idle=live.count(State.IDLE),
            cost_usd=sum(costs) if costs else None,
            is_pending=any(session.cost.is_pending for session in sessions.values()),
        )
        self._totals = (sessions, totals)
        return totals

    def measure_waited(self, now: float) -> float:
        """Returns for how many seconds since midnight sessions waited for a person, also those that are no longer listed."""
        before = [spans for each in self.waited_before.values() for spans in each]
        return sum_waits_today(self._sessions.values(), before, now)

    def measure_waited_by_project(self, now: float) -> dict[str, float]:
        """Returns the same by the root of the project, longest first, without projects that never waited."""
        sums: dict[str, float] = {}
        for session in self._sessions.values():
            root = session.project.root or session.cwd
            sums[root] = sums.get(root, 0.0) + measure_wait_today(session, now)
        for root, spans in self.waited_before.items():
            sums[root] = sums.get(root, 0.0) + sum_waits_today((), spans, now)
        return {
            root: seconds for root, seconds in sorted(sums.items(), key=lambda item: (-item[1], item[0])) if seconds
        }

    def list_attention(self) -> tuple[Session, ...]:
        """Returns the live sessions that need you and are not snoozed, oldest wait first."""
        sessions, asleep = self._sessions, self.snoozed
        if self._attention[0] is sessions and self._attention[1] is asleep:
            return self._attention[2]
        waiting = order_waits(each for each in sessions.values() if each.session_id not in asleep)
        self._attention = (sessions, asleep, waiting)
        return waiting

    def group_by_project(self) -> Groups:
        """Returns the sessions by project, both in the order of their start, so that rows never move."""
        sessions = self._sessions
        if self._projects[0] is sessions:
            return self._projects[1]
        groups: dict[str, list[Session]] = {}
        for session in sessions.values():
            groups.setdefault(session.project.root or session.cwd, []).append(session)
        projects = tuple((members[0].project, tuple(members)) for members in groups.values())
        self._projects = (sessions, projects)
        return projects
