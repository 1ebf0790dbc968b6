"""The order in which the tree shows projects and sessions. Pure. Ranks are made when the user acts, and then kept."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from atm_tui.model.session import Liveness, Project, Session, State

Groups = tuple[tuple[Project, tuple[Session, ...]], ...]
"""Sessions by project, both in the order in which they are shown."""


class Order(StrEnum):
    """What comes first."""

    STARTED = "started"
    ATTENTION = "attention"
    NEWEST = "newest"
    COST = "cost"
    CONTEXT = "context"

    @property
    def next(self) -> "Order":
        """The next order, as the same key gives it."""
        every = list(Order)
        return every[(every.index(self) + 1) % len(every)]


def rank_sessions(sessions: Iterable[Session], order: Order) -> dict[str, int]:
    """The place of each session by its id, 0 first. Started: the oldest first. Attention: who waits, longest first, then
    what finished unseen, works, idles, is over. Newest: by the last prompt. Cost and context: the most first, the unknown
    last.
    """
    keys: dict[Order, Callable[[Session], tuple[float, ...]]] = {
        Order.STARTED: lambda each: (each.started_at,),
        Order.ATTENTION: lambda each: (_rank_urgency(each), each.since),
        Order.NEWEST: lambda each: (-(each.last_prompt_at or each.started_at),),
        Order.COST: lambda each: (-_or_least(each.cost.usd),),
        Order.CONTEXT: lambda each: (-_or_least(each.context.percent),),
    }
    key = keys[order]
    ranked = sorted(sessions, key=lambda each: (*key(each), each.started_at, each.session_id))
    return {session.session_id: place for place, session in enumerate(ranked)}


def _or_least(value: float | None) -> float:
    return -1.0 if value is None else value


def _rank_urgency(session: Session) -> int:
    if session.liveness is not Liveness.LIVE:
        return 4
    if session.state is State.IDLE:
        return 1 if session.unseen else 3
    return 0 if session.state is State.NEEDS_YOU else 2


def arrange(
    groups: Groups, ranks: Mapping[str, int], pinned: Collection[str], keep: Callable[[Session], bool]
) -> Groups:
    """The groups without the sessions that `keep` refuses, in the order of `ranks`; a project stands where its first
    session does. Pinned sessions come first. Those that have no rank yet, since they came later, come last as they came.
    """

    def place(session: Session) -> tuple[bool, int]:
        return session.session_id not in pinned, ranks.get(session.session_id, len(ranks))

    def first(group: tuple[Project, Sequence[Session]]) -> tuple[bool, int]:
        return place(group[1][0])

    arranged = [(project, tuple(sorted(filter(keep, sessions), key=place))) for project, sessions in groups]
    return tuple(sorted((group for group in arranged if group[1]), key=first))
