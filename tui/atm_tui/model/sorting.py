"""The order of projects and sessions in the tree. Pure. Ranks are computed when the user chooses an order, and then kept."""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum

from atm_tui.model.session import Liveness, Project, Session, State

Group = tuple[Project, tuple[Session, ...]]
"""A project and its sessions, in their order on the screen."""
Groups = tuple[Group, ...]
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


def arrange_group(
    group: Group, ranks: Mapping[str, int], pinned: Collection[str], keep: Callable[[Session], bool] | None = None
) -> Group:
    """Returns a group with its sessions in the order of `ranks`, pinned ones first, without those that `keep` refuses.

    `keep`: None to list all. New sessions, which have no rank yet, come last, in the order in which they came.
    """
    listed = group[1] if keep is None else tuple(filter(keep, group[1]))
    if ranks or pinned:
        listed = tuple(sorted(listed, key=lambda each: _find_place(each, ranks, pinned)))
    return group[0], group[1] if listed == group[1] else listed


def sort_groups(groups: Iterable[Group], ranks: Mapping[str, int], pinned: Collection[str]) -> Groups:
    """Returns the groups that are not empty; each has the place of its first session."""
    found = (group for group in groups if group[1])
    return tuple(sorted(found, key=lambda group: _find_place(group[1][0], ranks, pinned)))


def _find_place(session: Session, ranks: Mapping[str, int], pinned: Collection[str]) -> tuple[bool, int]:
    return session.session_id not in pinned, ranks.get(session.session_id, len(ranks))
