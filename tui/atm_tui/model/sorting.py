"""The order of projects and sessions in the tree. Pure. Ranks are computed when the user chooses an order, and then kept."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from atm_tui.model.session import Liveness, Project, Session, State

Groups = tuple[tuple[Project, tuple[Session, ...]], ...]
"""Sessions by project, both in their order on the screen."""


class Order(StrEnum):
    """The orders that the user can choose."""

    STARTED = "started"
    ATTENTION = "attention"
    NEWEST = "newest"
    COST = "cost"
    CONTEXT = "context"

    @property
    def next(self) -> "Order":
        """The order after the next press of the key."""
        every = list(Order)
        return every[(every.index(self) + 1) % len(every)]


def rank_sessions(sessions: Iterable[Session], order: Order) -> dict[str, int]:
    """Returns the rank of each session by its id; 0 is the first.

    STARTED: oldest start first. ATTENTION: sessions that wait, longest wait first, then finished and unseen, working, idle and
    ended ones. NEWEST: last prompt first. COST, CONTEXT: highest first, unknown ones last.
    """
    keys: dict[Order, Callable[[Session], tuple[float, ...]]] = {
        Order.STARTED: lambda each: (each.started_at,),
        Order.ATTENTION: lambda each: (_rank_urgency(each), each.since),
        Order.NEWEST: lambda each: (-(each.last_prompt_at or each.started_at),),
        Order.COST: lambda each: (-_rank_unknown_last(each.cost.usd),),
        Order.CONTEXT: lambda each: (-_rank_unknown_last(each.context.percent),),
    }
    key = keys[order]
    ranked = sorted(sessions, key=lambda each: (*key(each), each.started_at, each.session_id))
    return {session.session_id: place for place, session in enumerate(ranked)}


def _rank_unknown_last(value: float | None) -> float:
    return -1.0 if value is None else value


def _rank_urgency(session: Session) -> int:
    if session.liveness is not Liveness.LIVE:
        return 4
    if session.state is State.IDLE:
        return 1 if session.unseen else 3
    return 0 if session.state is State.NEEDS_YOU else 2


def arrange_groups(
    groups: Groups, ranks: Mapping[str, int], pinned: Collection[str], keep: Callable[[Session], bool]
) -> Groups:
    """Returns the groups in the order of `ranks`, without the sessions that `keep` refuses.

    A project has the place of its first session. Pinned sessions come first. New sessions, which have no rank yet, come
    last, in the order in which they came.
    """

    def find_place(session: Session) -> tuple[bool, int]:
        return session.session_id not in pinned, ranks.get(session.session_id, len(ranks))

    def find_first_place(group: tuple[Project, Sequence[Session]]) -> tuple[bool, int]:
        return find_place(group[1][0])

    arranged = [(project, tuple(sorted(filter(keep, sessions), key=find_place))) for project, sessions in groups]
    return tuple(sorted((group for group in arranged if group[1]), key=find_first_place))
