"""The board's order, as lists of ids: which cards come first, and which stay in place."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.board import DONE, NEEDS, RUNNING, HeldCard, arrange_board, choose_column, hold_card, is_waiting
from atm_tui.model.fleet import Fleet
from atm_tui.model.session import Liveness, Session, State
from atm_tui.model.wait import Reason

NOW = 1_000_000.0


def make_waiting(name: str, reason: Reason = Reason.PERMISSION, since: float = NOW - 60, **more: object) -> Session:
    activity = Activity(kind=ActivityKind(reason.value or "dialog"))
    return Session(session_id=name, state=State.NEEDS_YOU, activity=activity, since=since, **more)


def make_idle(name: str, **more: object) -> Session:
    return Session(session_id=name, **{"state": State.IDLE, "since": NOW - 60, **more})


def list_ids(column: tuple[Session, ...]) -> list[str]:
    return [each.session_id for each in column]


def test_each_session_is_in_the_column_of_its_state() -> None:
    assert choose_column(make_waiting("a")) == NEEDS
    assert choose_column(make_idle("a", unseen=True)) == NEEDS
    assert choose_column(make_idle("a", activity=Activity(kind=ActivityKind.INTERRUPTED))) == NEEDS
    assert choose_column(Session(session_id="a", state=State.WORKING)) == RUNNING
    assert choose_column(make_idle("a")) == DONE
    assert choose_column(make_waiting("a", liveness=Liveness.LOST)) == DONE
    assert choose_column(Session(session_id="a", state=State.WORKING, liveness=Liveness.ENDED)) == DONE


def test_only_blocked_sessions_are_waiting() -> None:
    assert is_waiting(make_waiting("a"))
    assert not is_waiting(make_idle("a", unseen=True))
    assert not is_waiting(make_waiting("a", liveness=Liveness.LOST))


def test_waiting_sessions_come_in_queue_order_then_unseen_ones() -> None:
    fleet = [
        make_idle("finished", unseen=True, since=NOW - 2000),
        make_idle("interrupted", activity=Activity(kind=ActivityKind.INTERRUPTED), since=NOW - 1000),
        make_waiting("plan", Reason.PLAN, since=NOW - 50, cache_until=NOW + 100),
        make_waiting("failed", Reason.FAILED, since=NOW - 700),
        make_waiting("question", Reason.QUESTION, since=NOW - 40, cache_until=NOW),
        make_waiting("permission", since=NOW - 900),
    ]
    waiting = ["permission", "failed", "plan", "question"]
    assert list_ids(arrange_board(fleet)[NEEDS]) == [*waiting, "interrupted", "finished"]
    followed = Fleet()
    followed.update(fleet)
    assert list_ids(followed.list_attention()) == waiting


def test_without_a_wait_pinned_come_first_and_snoozed_last() -> None:
    fleet = [
        make_waiting("one", since=NOW - 3),
        make_waiting("two", since=NOW - 2),
        make_waiting("three", since=NOW - 1),
        make_idle("four"),
    ]
    fleet += [
        make_idle("seen", since=NOW - 9),
        make_idle("new", unseen=True),
        make_idle("pinned", unseen=True, since=NOW - 90),
    ]
    columns = arrange_board(fleet, snoozed={"one"}, pinned={"three", "seen", "pinned"})
    assert [list_ids(column) for column in columns] == [["two", "three", "pinned", "new", "one"], [], ["seen", "four"]]
    assert list_ids(arrange_board(fleet, snoozed={"one"}, pinned={"one"})[NEEDS])[-1] == "one"


def test_running_is_sorted_by_the_newest_prompt() -> None:
    fleet = [
        Session(session_id="old", state=State.WORKING, last_prompt_at=NOW - 500, since=NOW - 1),
        Session(session_id="new", state=State.WORKING, last_prompt_at=NOW - 5, since=NOW - 4),
        Session(session_id="unprompted", state=State.WORKING, started_at=NOW - 50, since=NOW - 2),
    ]
    assert list_ids(arrange_board(fleet)[RUNNING]) == ["new", "unprompted", "old"]


def test_done_is_sorted_by_the_end() -> None:
    fleet = [
        make_idle("idle", since=NOW - 30),
        make_idle("ended", since=NOW - 900, ended_at=NOW - 10, liveness=Liveness.ENDED),
        make_idle("lost", since=NOW - 20, liveness=Liveness.LOST),
    ]
    assert list_ids(arrange_board(fleet)[DONE]) == ["ended", "lost", "idle"]


def test_a_held_card_keeps_its_place_when_others_come_before_it() -> None:
    fleet = [make_waiting("a"), make_waiting("b", Reason.PLAN)]
    held = HeldCard("b", NEEDS, 1)
    fleet += [make_waiting("c", since=NOW - 99), make_waiting("d", since=NOW - 98)]
    assert list_ids(arrange_board(fleet)[NEEDS]) == ["c", "d", "a", "b"]
    assert list_ids(hold_card(arrange_board(fleet), held)[NEEDS]) == ["c", "b", "d", "a"]


def test_a_held_card_keeps_its_column_when_its_state_changes() -> None:
    fleet = [make_waiting("a"), Session(session_id="b", state=State.WORKING)]
    needs, running, _ = hold_card(arrange_board(fleet), HeldCard("b", NEEDS, 0))
    assert (list_ids(needs), list_ids(running)) == (["b", "a"], [])


def test_a_held_card_that_is_gone_has_no_effect() -> None:
    columns = arrange_board([make_waiting("a")])
    assert hold_card(columns, HeldCard("z", DONE, 3)) == columns
    assert hold_card(columns, None) == columns


SESSIONS = st.lists(
    st.builds(
        Session,
        session_id=st.text("abcdef", min_size=1, max_size=3),
        state=st.sampled_from(State),
        activity=st.builds(Activity, kind=st.sampled_from(ActivityKind)),
        liveness=st.sampled_from(Liveness),
        unseen=st.booleans(),
        since=st.floats(0),
        ended_at=st.none() | st.floats(0),
        cache_until=st.none() | st.floats(0, 2 * NOW),
    ),
    max_size=12,
    unique_by=lambda each: each.session_id,
)


@given(SESSIONS, st.integers(0, 2), st.integers(0, 12), st.data())
def test_every_session_is_on_the_board_once_and_the_held_one_in_its_place(
    fleet: list[Session], column: int, place: int, data: st.DataObject
) -> None:
    columns = arrange_board(fleet)
    assert arrange_board(fleet[::-1]) == columns
    assert sorted(list_ids(columns[0] + columns[1] + columns[2])) == sorted(each.session_id for each in fleet)
    if fleet:
        chosen = data.draw(st.sampled_from(fleet))
        kept = hold_card(columns, HeldCard(chosen.session_id, column, place))
        assert sorted(list_ids(kept[0] + kept[1] + kept[2])) == sorted(each.session_id for each in fleet)
        at = list_ids(kept[column]).index(chosen.session_id)
        assert at == min(place, len(kept[column]) - 1)
        assert [list_ids(c) for c in kept] != [[]] * 3
        changed = [msgspec.structs.replace(each, unseen=True) for each in fleet]
        again = hold_card(arrange_board(changed), HeldCard(chosen.session_id, column, at))
        assert list_ids(again[column]).index(chosen.session_id) == min(at, len(again[column]) - 1)
