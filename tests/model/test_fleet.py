"""The store: what changed, in which order, and the totals."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_tui.model.flags import SessionFlags, Snooze
from atm_tui.model.fleet import Delta, Fleet, Health
from atm_tui.model.request import Arming, Request
from atm_tui.model.session import Cost, Liveness, Project, Session, State, Unreadable
from tests.support.effort import examples


def make_session(key: str, **given: object) -> Session:
    return msgspec.structs.replace(Session(session_id=key), **given)


def test_only_changed_sessions_are_drained() -> None:
    fleet = Fleet()
    assert fleet.update([make_session("a"), make_session("b")])
    assert fleet.drain().added == ("a", "b")
    assert not fleet.update([make_session("a"), make_session("b")])
    assert not fleet.drain()
    assert fleet.update([make_session("a", turns=1), make_session("c")])
    delta = fleet.drain()
    assert (delta.added, delta.changed, delta.removed) == (("c",), ("a",), ("b",))


def test_a_session_that_came_and_went_between_two_drains_is_in_no_list() -> None:
    fleet = Fleet()
    fleet.update([make_session("a")])
    fleet.update([])
    assert not fleet.drain()


def test_unreadable_files_and_health_count_as_changes_once() -> None:
    fleet = Fleet()
    assert fleet.update([], [Unreadable(path="/x", problem="cut")], Health(without_hooks=2))
    delta = fleet.drain()
    assert delta.unreadable
    assert delta.health
    assert not fleet.update([], [Unreadable(path="/x", problem="cut")], Health(without_hooks=2))


def test_totals_count_live_sessions_and_sum_every_known_cost() -> None:
    fleet = Fleet()
    fleet.update(
        [
            make_session("a", state=State.NEEDS_YOU, cost=Cost(usd=1.5)),
            make_session("b", state=State.WORKING),
            make_session("c", state=State.NEEDS_YOU, liveness=Liveness.LOST, cost=Cost(usd=2.0)),
        ]
    )
    totals = fleet.compute_totals()
    assert (totals.needs_you, totals.working, totals.idle, totals.cost_usd) == (1, 1, 0, 3.5)


def test_an_unknown_cost_is_not_zero() -> None:
    fleet = Fleet()
    fleet.update([make_session("a")])
    assert fleet.compute_totals().cost_usd is None


def test_sessions_that_need_attention_are_listed_oldest_wait_first() -> None:
    fleet = Fleet()
    fleet.update(
        [
            make_session("a", state=State.NEEDS_YOU, since=9),
            make_session("b", state=State.NEEDS_YOU, since=5),
            make_session("c"),
        ]
    )
    assert [each.session_id for each in fleet.list_attention()] == ["b", "a"]


def test_projects_keep_the_order_of_their_first_start() -> None:
    shop, infra = Project(root="/shop", name="shop"), Project(root="/infra", name="infra")
    fleet = Fleet()
    fleet.update(
        [
            make_session("c", started_at=3, project=shop),
            make_session("a", started_at=1, project=shop),
            make_session("b", started_at=2, project=infra),
        ]
    )
    assert [(project.name, [s.session_id for s in members]) for project, members in fleet.group_by_project()] == [
        ("shop", ["a", "c"]),
        ("infra", ["b"]),
    ]


def test_requests_are_kept_oldest_first_and_reported_once() -> None:
    fleet = Fleet()
    one, two = (
        Request(nonce=nonce, session_id="s", key=f"|Bash|{nonce}", digest="d", at=at)
        for nonce, at in (("b", 1.0), ("a", 2.0))
    )
    assert fleet.update_requests([two, one], {"a": ("deletes",)}, Arming.ON)
    assert list(fleet.requests) == ["b", "a"]
    assert fleet.list_requests("s") == (one, two)
    assert fleet.list_requests("t") == ()
    assert fleet.drain().asked
    assert not fleet.update_requests([one, two], {"a": ("deletes",)}, Arming.ON)
    assert not fleet.drain()
    assert fleet.update_requests([one, two], {"a": ("deletes",)}, Arming.ELSEWHERE)
    assert fleet.drain() == Delta(asked=True)
    assert fleet.update_requests([], {}, Arming.OFF)
    assert fleet.requests == {}


def test_kinds_that_are_hidden_are_in_no_list_count_or_sum_until_they_are_shown_again() -> None:
    fleet = Fleet()
    fleet.hidden_kinds = frozenset({"headless"})
    everyone = [make_session("a"), make_session("h", kind="headless", cost=Cost(usd=2.0), state=State.NEEDS_YOU)]
    assert fleet.update(everyone)
    assert (list(fleet.sessions), fleet.hidden, fleet.list_attention()) == (["a"], {"h"}, ())
    assert fleet.compute_totals().cost_usd is None
    assert not fleet.update(everyone)
    fleet.hidden_kinds = frozenset()
    assert fleet.update(everyone)
    assert (list(fleet.sessions), fleet.hidden) == (["a", "h"], frozenset())
    assert fleet.drain().added == ("a", "h")


def test_cached_lists_follow_every_change() -> None:
    fleet = Fleet()
    asks = make_session("a", state=State.NEEDS_YOU, since=1, cost=Cost(usd=1.0))
    for shown, total in (([asks], 1.0), ([asks, msgspec.structs.replace(asks, session_id="b")], 2.0), ([], None)):
        fleet.update(shown)
        for _ in range(2):
            assert [each.session_id for each in fleet.list_attention()] == [each.session_id for each in shown]
            assert [s.session_id for _, members in fleet.group_by_project() for s in members] == [
                s.session_id for s in shown
            ]
            assert (fleet.compute_totals().needs_you, fleet.compute_totals().cost_usd) == (len(shown), total)


def test_a_snoozed_session_is_not_waiting_until_the_snooze_ends() -> None:
    fleet = Fleet()
    fleet.update([make_session("a", state=State.NEEDS_YOU, since=1)])
    flags = {
        "a": SessionFlags(snooze=Snooze(at=0.0, seconds=10.0)),
        "gone": SessionFlags(snooze=Snooze(at=0.0, seconds=10.0)),
    }
    assert [len(fleet.list_attention()), fleet.apply_flags(flags, 5), len(fleet.list_attention())] == [1, True, 0]
    assert [fleet.apply_flags(flags, 6), fleet.apply_flags(flags, 11), len(fleet.list_attention())] == [False, True, 1]


def find_rows(fleet: Fleet) -> tuple[object, ...]:
    """All that is asked of the sessions together."""
    sessions = dict(fleet.sessions)
    return (
        list(sessions),
        sessions,
        fleet.compute_totals(),
        fleet.list_attention(),
        fleet.group_by_project(),
        fleet.hidden,
    )


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", "d"]),
        st.sampled_from(["came", "went", "state", "cost", "project", "began", "kind", "hide", "drain"]),
        st.integers(0, 3),
    ),
    max_size=30,
)


@settings(max_examples=examples(25))
@given(EDITS)
def test_looking_only_at_what_changed_gives_the_same_as_looking_at_all(edits: list[tuple[str, str, int]]) -> None:
    fleet, sessions, drained = Fleet(), {}, {}
    for key, edit, number in edits:
        old = sessions.get(key, make_session(key))
        choices = {
            "state": {"state": list(State)[number % 3], "liveness": list(Liveness)[number % 3], "since": float(number)},
            "cost": {"cost": Cost(usd=[None, 0.1, 0.2, 0.7][number], is_pending=number == 3)},
            "project": {"project": Project(root=f"/p{number}", name="p")},
            "began": {"started_at": float(number)},
            "kind": {"kind": ["interactive", "headless"][number % 2]},
        }
        if edit == "went":
            sessions.pop(key, None)
        elif edit == "hide":
            fleet.hidden_kinds = frozenset({"headless"} if number % 2 else ())
        elif edit != "drain":
            sessions[key] = msgspec.structs.replace(old, **choices.get(edit, {}))
        fleet.update_changed(sessions, {key})
        fresh = Fleet()
        fresh.hidden_kinds = fleet.hidden_kinds
        fresh.update(reversed(sessions.values()))
        assert find_rows(fleet) == find_rows(fresh)
        if edit == "drain":
            delta = fleet.drain()
            drained = {each: old for each, old in drained.items() if each not in delta.removed}
            drained |= {each: fleet.sessions[each] for each in (*delta.added, *delta.changed)}
            assert drained == dict(fleet.sessions)
