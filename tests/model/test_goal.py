"""When a wait for sessions is over, and when it can't succeed any more."""

from itertools import pairwise, product

import msgspec
import pytest

from atm_tui.model.goal import Goal, Progress, Waiter
from atm_tui.model.session import Liveness, Session, State

NEEDS, WORKS, IDLE = State.NEEDS_YOU, State.WORKING, State.IDLE


def make_session(key: str, state: State | Liveness) -> Session:
    if isinstance(state, Liveness):
        return Session(session_id=key, state=WORKS, liveness=state)
    return Session(session_id=key, state=state)


def update(waiter: Waiter, **states: State | Liveness) -> Progress:
    return waiter.update([make_session(key, state) for key, state in states.items()])


@pytest.mark.parametrize(
    ("goal", "state", "reached"),
    [
        *product([Goal.NEEDS_YOU], [NEEDS], [True]),
        *product([Goal.NEEDS_YOU], [WORKS, IDLE, Liveness.LOST, Liveness.ENDED], [False]),
        *product([Goal.IDLE], [IDLE, Liveness.LOST, Liveness.ENDED], [True]),
        *product([Goal.IDLE], [NEEDS, WORKS], [False]),
        *product([Goal.ENDED], [Liveness.LOST, Liveness.ENDED], [True]),
        *product([Goal.ENDED], [NEEDS, WORKS, IDLE], [False]),
    ],
)
def test_one_session_is_at_the_goal(goal: Goal, state: State | Liveness, reached: bool) -> None:
    progress = update(Waiter(goal, ["a"]), a=state)
    assert progress.is_done is reached
    assert progress.reached == (("a",) if reached else ())
    assert bool(progress.too_late) is (goal is Goal.NEEDS_YOU and isinstance(state, Liveness))


def test_one_of_several_sessions_is_enough_unless_all_are_needed() -> None:
    states = {"a": NEEDS, "b": WORKS}
    assert update(Waiter(Goal.NEEDS_YOU, ["a", "b"]), **states) == Progress(reached=("a",), is_done=True)
    assert update(Waiter(Goal.NEEDS_YOU, ["a", "b"], needs_all=True), **states) == Progress(reached=("a",))
    both = update(Waiter(Goal.IDLE, ["a", "b"], needs_all=True), a=IDLE, b=Liveness.ENDED)
    assert both == Progress(reached=("a", "b"), is_done=True)


def test_a_session_that_is_no_longer_listed_has_ended() -> None:
    assert update(Waiter(Goal.ENDED, ["a"])) == Progress(reached=("a",), is_done=True)
    assert update(Waiter(Goal.NEEDS_YOU, ["a"])) == Progress(too_late=("a",))


def test_an_ended_session_is_too_late_only_if_it_is_needed() -> None:
    states = {"a": Liveness.ENDED, "b": WORKS}
    assert update(Waiter(Goal.NEEDS_YOU, ["a", "b"]), **states) == Progress()
    assert update(Waiter(Goal.NEEDS_YOU, ["a", "b"], needs_all=True), **states).too_late == ("a",)
    assert update(Waiter(Goal.NEEDS_YOU, ["a", "b"]), a=Liveness.ENDED).too_late == ("a", "b")


def test_without_names_running_and_new_sessions_count() -> None:
    any_of = Waiter(Goal.NEEDS_YOU)
    assert update(any_of) == update(any_of, old=Liveness.ENDED) == update(any_of, a=WORKS) == Progress()
    assert update(any_of, b=NEEDS) == Progress(reached=("b",), is_done=True)
    ended = Waiter(Goal.ENDED)
    assert update(ended, old=Liveness.ENDED, a=WORKS) == Progress()
    assert update(ended, old=Liveness.ENDED, a=Liveness.LOST).reached == ("a",)


def test_without_names_all_means_the_running_sessions() -> None:
    assert update(Waiter(Goal.ENDED, needs_all=True), old=Liveness.ENDED) == Progress(is_done=True)
    assert update(Waiter(Goal.NEEDS_YOU, needs_all=True), old=Liveness.ENDED) == Progress()
    waiter = Waiter(Goal.NEEDS_YOU, needs_all=True)
    assert not update(waiter, a=NEEDS, b=WORKS).is_done
    assert update(waiter, a=NEEDS, b=Liveness.ENDED).is_done


def test_an_ended_session_counts_as_idle_whenever_it_ended() -> None:
    """Some clients end as soon as their turn does: what lies between may be seen or not."""
    scenario = [{"a": WORKS}, {"a": IDLE}, {"a": Liveness.ENDED}, {}]
    for seen in (scenario, scenario[2:], scenario[3:], [scenario[0], scenario[2]], [scenario[0], scenario[3]]):
        waiter = Waiter(Goal.IDLE, ["a"])
        done = [update(waiter, **states).is_done for states in seen]
        assert done[-1]
        assert all(after or not before for before, after in pairwise(done))


def test_goals_use_the_words_of_the_states() -> None:
    assert [each.value for each in Goal] == [State.NEEDS_YOU, State.IDLE, Liveness.ENDED]
    assert msgspec.convert("idle", Goal) is Goal.IDLE
