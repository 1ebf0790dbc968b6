"""Hooks run side by side: whatever order events arrive in, and however often, the state is the same. And fold is pure."""

import copy
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atm_hooks import payload
from atm_hooks.derive import derive
from atm_hooks.fold import apply, fold, fold_all
from tests.hooks.fat import make_fat_state
from tests.hooks.recordings import read_hooks
from tests.support.effort import examples
from tests.support.timelines import NAMES
from tests.support.turns import turns

Event = dict[str, Any]


def fold_state(events: list[Event]) -> dict[str, Any]:
    state = None
    for event in events:
        state = fold(state, event)
    assert state is not None
    return state


def group_by_session(name: str) -> dict[str, list[Event]]:
    sessions: dict[str, list[Event]] = {}
    for hook in read_hooks(name):
        sessions.setdefault(hook.session, []).append(payload.parse_event(hook.raw, hook.t, hook.environ))
    return sessions


def drop_times(state: dict[str, Any]) -> dict[str, Any]:
    """What a person reads: without times, which a second copy of an event may move a little."""
    told = ("state", "activity", "parent", "type", "description")
    agents = {key: {part: each.get(part) for part in told} for key, each in state["agents"].items()}
    waits = [{part: each[part] for part in ("key", "agent_id", "reason", "tool", "summary")} for each in state["waits"]]
    activity = {key: value for key, value in state["activity"].items() if key not in ("since", "began")}
    counts = {key: state[key] for key in ("turns", "tools_used", "session_active")}
    return {"agents": agents, "waits": waits, "activity": activity, **counts, "errors": len(state["errors"])}


@settings(deadline=None, max_examples=examples(100))
@given(turns(), st.randoms(use_true_random=False))
def test_any_order_and_any_copies_of_a_turn_give_the_same_state(events: list[Event], chance: random.Random) -> None:
    expected = fold_state(events)
    mixed = events + chance.choices(events, k=len(events) // 2)
    chance.shuffle(mixed)
    assert fold_state(mixed) == expected


@settings(deadline=None, max_examples=examples(100))
@given(turns(), st.randoms(use_true_random=False))
def test_a_late_duplicate_changes_nothing_visible(events: list[Event], chance: random.Random) -> None:
    copies = [event | {"at": event["at"] + 0.02} for event in events if event["event"] != "Notification"]
    mixed = events + chance.sample(copies, len(copies))
    assert drop_times(fold_state(mixed)) == drop_times(fold_state(events))


@pytest.mark.parametrize("name", NAMES)
def test_events_of_a_recorded_session_fold_to_the_same_state_in_any_order(name: str) -> None:
    chance = random.Random(name)
    for events in group_by_session(name).values():
        expected = fold_state(events)
        for _ in range(5):
            mixed = events + chance.choices(events, k=len(events) // 3)
            chance.shuffle(mixed)
            assert fold_state(mixed) == expected


@settings(deadline=None, max_examples=examples(60))
@given(turns())
def test_fold_changes_neither_argument(events: list[Event]) -> None:
    state: dict[str, Any] | None = None
    for event in events:
        before = copy.deepcopy((state, event))
        after = fold(state, event)
        assert (state, event) == before
        state = after


@settings(deadline=None, max_examples=examples(60))
@given(turns())
def test_folding_many_events_equals_folding_one_by_one(events: list[Event]) -> None:
    assert fold_all(None, events) == fold_state(events)
    assert fold_all(None, []) is None


@settings(deadline=None, max_examples=examples(60))
@given(turns())
def test_derived_fields_are_never_read_back(events: list[Event]) -> None:
    state = fold_state(events)
    assert derive(copy.deepcopy(state)) == state
    assert derive(apply(state, events[0])) == state


@settings(deadline=None, max_examples=examples(20))
@given(turns(), st.randoms(use_true_random=False))
def test_what_is_kept_of_agents_is_what_would_be_derived(events: list[Event], chance: random.Random) -> None:
    mixed = events + chance.choices(events, k=len(events) // 2)
    chance.shuffle(mixed)
    for order in (events, mixed):
        state: dict[str, Any] | None = None
        for event in order:
            after = fold(state, event)
            assert after == derive(apply(state, event))
            state = after


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_of_recorded_agents_is_what_would_be_derived(name: str) -> None:
    chance = random.Random(name)
    for events in group_by_session(name).values():
        state: dict[str, Any] | None = None
        for event in chance.sample(events, len(events)):
            after = fold(state, event)
            assert after == derive(apply(state, event))
            state = after


def test_agents_that_an_event_does_not_touch_are_kept() -> None:
    before = make_fat_state(50)
    newest = before["heard_at"]
    call = {"session_id": "s1", "event": "PostToolUse", "tool": "Bash", "tool_use_id": "t1", "pid": 49}
    after = fold(before, {**call, "at": newest + 1})
    assert all(after["agents"][key] is agent for key, agent in before["agents"].items())
    own = fold(after, {**call, "at": newest + 2, "tool_use_id": "t2", "agent_id": f"b{3:017}"})
    assert [key for key, agent in own["agents"].items() if after["agents"][key] is not agent] == [f"b{3:017}"]
    left = fold(own, {"session_id": "s1", "event": "SessionEnd", "at": newest + 3, "pid": 49})
    assert left == derive(apply(own, {"session_id": "s1", "event": "SessionEnd", "at": newest + 3, "pid": 49}))
