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
    NAME = "name"
    BRANCH = "branch"
    AGE = "age"

    @property
    def next(self) -> "Order":
        """The order after the next press of the key, which leaves out those that only a heading or a name chooses."""
        every = list(Order)[:BY_KEY]
        return every[(every.index(self) + 1) % len(every)] if self in every else every[0]


BY_KEY = 5
"""The first orders, which the key chooses in turn."""


def rank_sessions(sessions: Iterable[Session], order: Order, *, is_reversed: bool = False) -> dict[str, int]:
    """Returns the rank of each session by its id; 0 is the first.

    STARTED: oldest start first. ATTENTION: sessions that wait, longest wait first, then finished and unseen, working, idle and
    ended ones. NEWEST: last prompt first. COST, CONTEXT: highest first, unknown ones last. NAME, BRANCH: by the alphabet,
    without one last. AGE: longest in its state first. `is_reversed`: the other way round, but unknown ones stay last.
    """
    if order in (Order.NAME, Order.BRANCH):
        ranked = _sort_by_text(sessions, order, is_reversed=is_reversed)
        return {session.session_id: place for place, session in enumerate(ranked)}
    keys: dict[Order, Callable[[Session], tuple[float, ...]]] = {
        Order.STARTED: lambda each: (each.started_at,),
        Order.ATTENTION: lambda each: (_rank_urgency(each), each.since),
        Order.NEWEST: lambda each: (-(each.last_prompt_at or each.started_at),),
        Order.COST: lambda each: _rank_highest(each.cost.usd),
        Order.CONTEXT: lambda each: _rank_highest(each.context.percent),
        Order.AGE: lambda each: (each.since,),
    }
    key = keys[order]
    unknown_last = {
        Order.COST: lambda each: each.cost.usd is None,
        Order.CONTEXT: lambda each: each.context.percent is None,
    }
    ranked = sorted(sessions, key=lambda each: (*key(each), each.started_at, each.session_id), reverse=is_reversed)
    if is_reversed and order in unknown_last:
        ranked.sort(key=unknown_last[order])
    return {session.session_id: place for place, session in enumerate(ranked)}


def _sort_by_text(sessions: Iterable[Session], order: Order, *, is_reversed: bool) -> list[Session]:
    """Sorts sessions by name or branch; those without one come last."""

    def find_text(session: Session) -> str:
        return (session.name if order is Order.NAME else session.project.branch or "").casefold()

    ranked = sorted(sessions, key=lambda each: (find_text(each), each.started_at, each.session_id), reverse=is_reversed)
    return sorted(ranked, key=lambda each: not find_text(each))


def _rank_highest(value: float | None) -> tuple[float, ...]:
    """Returns a key by which the highest value comes first, and an unknown one last."""
    return (1.0, 0.0) if value is None else (0.0, -value)


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
