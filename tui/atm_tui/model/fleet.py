"""The store of the app: sessions, requests and flags, what changed since the last drain, and sums over all sessions."""

from _thread import allocate_lock  # threading would take a part of the start of every command
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from atm_tui.model.costs import sum_costs
from atm_tui.model.flags import SessionFlags, is_snoozed
from atm_tui.model.fleet_index import FleetIndex, Totals
from atm_tui.model.request import Arming, Decision, Request
from atm_tui.model.session import Session, Unreadable
from atm_tui.model.spans import Spans
from atm_tui.model.waited import measure_wait_today, sum_waits_today

if TYPE_CHECKING:
    from atm_tui.model.machine import Machine, StreamTotals
    from atm_tui.model.sorting import Groups


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
    """Whether the requests changed, or whether this app accepts answers."""

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.unreadable or self.health or self.asked)


class Fleet:
    """The one store of the app. Only `update` writes it; widgets read it and drain what changed."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._index = FleetIndex()
        self._kinds: frozenset[str] = frozenset()
        """The kinds that the last update left out."""
        self._drained: dict[str, Session] = {}
        self._undrained: set[str] = set()
        """Ids of sessions that may differ from the last drain."""
        self._lock = allocate_lock()
        """Held while sessions and `_undrained` change together: updates and drains come from different threads."""
        self._unreadable: tuple[Unreadable, ...] = ()
        self._health = Health()
        self.config_notice = ""
        """What is wrong in the configuration; empty: nothing."""
        self.today: float | None = None
        """USD since midnight, over all sessions of this machine; None: not counted yet."""
        self.limits_full_at: Mapping[tuple[str, str], float] = {}
        """When limits will be reached at the pace of the last half hour (epoch seconds), by config folder and window."""
        self.waited_before: Mapping[str, tuple[Spans, ...]] = {}
        """Today's waits of sessions that are no longer listed, by the root of their project."""
        self.unread = 0
        """Number of state files that are still to be read for the first time."""
        self.older = 0
        """Number of sessions that are over, and so many that only the newest are in the fleet."""
        self.machines: tuple[Machine, ...] = ()
        """The other machines whose sessions are shown, in the order of the configuration."""
        self.flags: Mapping[str, SessionFlags] = {}
        """The user's flags, by session id."""
        self.snoozed: frozenset[str] = frozenset()
        """Ids of the sessions that are snoozed now."""
        self.hidden_kinds: frozenset[str] = frozenset()
        """Kinds of sessions that the next update leaves out."""
        self.hidden: frozenset[str] = frozenset()
        """Ids of the sessions that are left out."""
        self.arming = Arming.OFF
        """Whether this app accepts answers now."""
        self.dangers: Mapping[str, tuple[str, ...]] = {}
        """Reasons to confirm a yes to a request, by its nonce. Requests without an entry need no confirmation."""
        self.risks: Mapping[str, tuple[tuple[str, ...], ...]] = {}
        """The same for each suggestion of a request, by its nonce."""
        self._requests: dict[str, Request] = {}
        self._asked_changed = False
        self._unreadable_changed = False
        self._health_changed = False
        self._attention: tuple[tuple[Session, ...], frozenset[str], tuple[Session, ...]] = ((), frozenset(), ())
        """The last result of `list_attention`, with what it was computed from."""

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Sessions by id, oldest start first."""
        return MappingProxyType(self._sessions)

    @property
    def notices(self) -> tuple[str, ...]:
        """The warnings for the header, most urgent first."""
        own = (self.config_notice,) if self.config_notice else ()
        return (*own, *self._health.notices)

    @property
    def requests(self) -> Mapping[str, Request]:
        """The requests that can be answered from here, by nonce, oldest first."""
        return MappingProxyType(self._requests)

    @property
    def is_armed(self) -> bool:
        """Whether this app accepts answers anywhere."""
        return self.arming is Arming.ON or any(each.arming is Arming.ON for each in self.machines)

    @property
    def own_arming(self) -> Arming:
        """Whether this app is armed, or can be: here, or for another machine where this one can't."""
        if self.is_armed:
            return Arming.ON
        is_open = any(each.arming in (Arming.OFF, Arming.ELSEWHERE) for each in self.machines)
        return Arming.OFF if is_open and self.arming is Arming.NOT_INSTALLED else self.arming

    def find_arming(self, session: Session) -> Arming | None:
        """Returns whether requests of a session can be answered from here; None: on its machine they never can."""
        if session.elsewhere is None:
            return self.arming
        found = self.find_machine(session)
        return found.arming if found is not None else None

    def find_machine(self, session: Session) -> "Machine | None":
        """Returns the other machine on which a session runs."""
        return next((each for each in self.machines if each.name == session.machine), None)

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
        given = {each.session_id: each for each in sessions}
        return self.update_changed(given, given.keys() | self._sessions.keys() | self.hidden, unreadable, health)

    def update_changed(
        self,
        sessions: Mapping[str, Session],
        changed: Collection[str],
        unreadable: Iterable[Unreadable] = (),
        health: Health | None = None,
    ) -> bool:
        """As `update`, but looks only at `changed`: the ids of sessions that differ since the last call, came or went."""
        if self.hidden_kinds != self._kinds:
            self._kinds, changed = self.hidden_kinds, sessions.keys() | self._sessions.keys()
        has_changed = self._update_sessions(sessions, changed)
        files = tuple(sorted(unreadable, key=lambda each: each.path))
        if files != self._unreadable:
            self._unreadable, self._unreadable_changed = files, True
        if health is not None and health != self._health:
            self._health, self._health_changed = health, True
        return has_changed or self._unreadable_changed or self._health_changed

    def _update_sessions(self, sessions: Mapping[str, Session], changed: Collection[str]) -> bool:
        new, hidden, differing, is_reordered = dict(self._sessions), set(self.hidden), [], False
        for key in changed:
            old, session = new.get(key), sessions.get(key)
            if session is None or session.kind not in self._kinds:
                hidden.discard(key)
            else:
                hidden.add(key)
                session = None
            if old is session or old == session:
                continue
            differing.append(key)
            is_reordered |= old is None or session is None or _rank_start(old) != _rank_start(session)
            if session is None:
                del new[key]
            else:
                new[key] = session
        if is_reordered:
            new = {each.session_id: each for each in sorted(new.values(), key=_rank_start)}
        if differing:
            self._index.update(new, differing, is_reordered=is_reordered)
            with self._lock:
                self._sessions = new
                self._undrained.update(differing)
                if is_reordered:  # of what came and went since the last drain, nothing is kept
                    self._undrained &= new.keys() | self._drained.keys()
        has_changed = bool(differing) or hidden != self.hidden
        self.hidden = frozenset(hidden)
        return has_changed

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
        """Replaces the requests, and whether this app accepts answers. Returns whether anything differs."""
        new = {each.nonce: each for each in sorted(requests, key=lambda each: (each.at, each.nonce))}
        differs = (new, dangers, risks, arming) != (self._requests, self.dangers, self.risks, self.arming)
        self._requests, self.dangers, self.risks, self.arming = new, dict(dangers), dict(risks), arming
        self._asked_changed |= differs
        return differs

    def drain(self) -> Delta:
        """Returns what differs from the last drain. A session that came and went in between is in none of the lists."""
        with self._lock:
            touched, self._undrained = self._undrained, set()
            old, new = self._drained, self._sessions
            self._drained = new
        here = sorted((new[key] for key in touched & new.keys()), key=_rank_start)
        gone = sorted((old[key] for key in touched & old.keys() if key not in new), key=_rank_start)
        delta = Delta(
            added=tuple(each.session_id for each in here if each.session_id not in old),
            changed=tuple(key for each in here if (key := each.session_id) in old and old[key] != each),
            removed=tuple(each.session_id for each in gone),
            unreadable=self._unreadable_changed,
            health=self._health_changed,
            asked=self._asked_changed,
        )
        self._unreadable_changed = self._health_changed = self._asked_changed = False
        return delta

    def compute_totals(self) -> Totals:
        """Returns the number of live sessions by state, and the cost of all sessions in the fleet."""
        totals, counts = self._index.totals, self._list_counts()
        if not counts:
            return totals
        return msgspec.structs.replace(
            totals,
            needs_you=totals.needs_you + sum(each.needs_you for each in counts),
            working=totals.working + sum(each.working for each in counts),
            idle=totals.idle + sum(each.idle for each in counts),
            cost_usd=sum_costs((totals.cost_usd, *(each.cost_usd for each in counts))),
        )

    def _list_counts(self) -> "list[StreamTotals]":
        """Returns the sums of machines that publish nothing of their single sessions."""
        return [each.counts for each in self.machines if each.counts is not None]

    def measure_waited(self, now: float) -> float:
        """Returns for how many seconds since midnight sessions waited for a person, also those that are no longer listed."""
        before = [spans for each in self.waited_before.values() for spans in each]
        elsewhere = sum(each.waited_today for each in self._list_counts())
        return elsewhere + sum_waits_today(self._index.delayed, before, now)

    def measure_waited_by_project(self, now: float) -> dict[str, float]:
        """Returns the same by the root of the project, longest first, without projects that never waited."""
        sums: dict[str, float] = {}
        for session in self._index.delayed:
            root = session.root
            sums[root] = sums.get(root, 0.0) + measure_wait_today(session, now)
        for root, spans in self.waited_before.items():
            sums[root] = sums.get(root, 0.0) + sum_waits_today((), spans, now)
        return {
            root: seconds for root, seconds in sorted(sums.items(), key=lambda item: (-item[1], item[0])) if seconds
        }

    def list_limited(self) -> tuple[Session, ...]:
        """Returns the sessions whose rate limits are known."""
        return self._index.limited

    def list_noted(self) -> list[Session]:
        """Returns the live sessions that need you, or whose turn has failed or finished, oldest start first."""
        return sorted(self._index.noted, key=_rank_start)

    def list_attention(self) -> tuple[Session, ...]:
        """Returns the live sessions that need you and are not snoozed, oldest wait first."""
        waiting, asleep = self._index.waiting, self.snoozed
        if self._attention[0] is not waiting or self._attention[1] is not asleep:
            found = tuple(each for each in waiting if each.session_id not in asleep) if asleep else waiting
            self._attention = (waiting, asleep, found)
        return self._attention[2]

    def group_by_project(self) -> "Groups":
        """Returns the sessions by project, both in the order of their start, so that rows never move."""
        return self._index.groups


def _rank_start(session: Session) -> tuple[float, str]:
    return session.started_at, session.session_id
