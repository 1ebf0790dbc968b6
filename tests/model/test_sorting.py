"""The orders of the tree, and that new sessions don't move existing ones."""

from collections.abc import Callable, Mapping

import pytest

from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Context, Cost, Liveness, Project, Session, State
from atm_tui.model.sorting import Groups, Order, arrange_group, rank_sessions, sort_groups

SHOP, WEB = (Project(root=f"/src/{name}", name=name) for name in ("shop", "web"))
FLEET = [
    Session(session_id="a", project=SHOP, started_at=1, since=50, cost=Cost(usd=2.0), last_prompt_at=5),
    Session(session_id="b", project=SHOP, started_at=2, since=40, state=State.WORKING, context=Context(percent=30.0)),
    Session(session_id="c", project=WEB, started_at=3, since=30, state=State.NEEDS_YOU, last_prompt_at=9),
    Session(session_id="d", project=WEB, started_at=4, since=20, unseen=True, cost=Cost(usd=0.0)),
    Session(
        session_id="e", project=SHOP, started_at=5, since=10, liveness=Liveness.LOST, context=Context(percent=70.0)
    ),
    Session(session_id="f", project=SHOP, started_at=6, since=5, state=State.NEEDS_YOU, cost=Cost(usd=7.0)),
]


def arrange_groups(
    groups: Groups, ranks: Mapping[str, int], pinned: tuple[str, ...], keep: Callable[[Session], bool]
) -> Groups:
    return sort_groups([arrange_group(each, ranks, pinned, keep) for each in groups], ranks, pinned)


def format_groups(order: Order, *, pinned: tuple[str, ...] = (), without: str = "") -> str:
    fleet = Fleet()
    fleet.update(FLEET)
    groups = arrange_groups(
        fleet.group_by_project(), rank_sessions(FLEET, order), pinned, lambda each: each.session_id not in without
    )
    return " ".join(f"{project.name}:{''.join(each.session_id for each in sessions)}" for project, sessions in groups)


@pytest.mark.parametrize(
    ("order", "sessions", "tree"),
    [
        (Order.STARTED, "abcdef", "shop:abef web:cd"),
        (Order.ATTENTION, "fcdbae", "shop:fbae web:cd"),
        (Order.NEWEST, "cfaedb", "web:cd shop:faeb"),
        (Order.COST, "fadbce", "shop:fabe web:dc"),
        (Order.CONTEXT, "ebacdf", "shop:ebaf web:cd"),
    ],
)
def test_sessions_are_sorted_by_the_key(order: Order, sessions: str, tree: str) -> None:
    assert "".join(rank_sessions(FLEET, order)) == sessions
    assert format_groups(order) == tree


def test_a_pinned_session_and_its_project_come_first() -> None:
    assert format_groups(Order.STARTED, pinned=("d",)) == "web:dc shop:abef"
    assert format_groups(Order.COST, pinned=("d", "e")) == "web:dc shop:efab"


def test_filtered_sessions_are_in_no_group() -> None:
    assert format_groups(Order.STARTED, without="cdb") == "shop:aef"
    assert format_groups(Order.STARTED, without="abcdef") == ""


def test_sessions_without_a_rank_come_last_in_order_of_arrival() -> None:
    fleet = Fleet()
    fleet.update(FLEET)
    ranks = rank_sessions([each for each in FLEET if each.session_id not in "af"], Order.COST)
    groups = arrange_groups(fleet.group_by_project(), ranks, (), lambda _: True)
    assert ["".join(each.session_id for each in sessions) for _, sessions in groups] == ["dc", "beaf"]


def test_the_sort_key_cycles() -> None:
    order, seen = Order.STARTED, []
    for _ in range(5):
        seen.append(order)
        order = order.next
    assert (seen, order) == (list(Order)[:5], Order.STARTED)
    assert {each.next for each in (Order.NAME, Order.BRANCH, Order.AGE)} == {Order.STARTED}
