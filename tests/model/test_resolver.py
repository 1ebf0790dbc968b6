"""Resolving only changed sessions gives the same result as resolving everything."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.resolver import Resolver
from atm_tui.model.session import Liveness, Session
from tests.model.scenarios import START, SessionScenario

STEPS: dict[str, Callable[[SessionScenario, float], Any]] = {
    "prompt": lambda scenario, t: scenario.send_prompt(t),
    "tool": lambda scenario, t: scenario.begin_tool(t),
    "ask": lambda scenario, t: scenario.request_permission(t),
    "agent": lambda scenario, t: scenario.start_agent(t),
    "agent asks": lambda scenario, t: scenario.request_permission(t, agent="a1"),
    "stop": lambda scenario, t: scenario.end_turn(t),
    "stop, agent runs": lambda scenario, t: scenario.end_turn(t, "a1"),
    "busy": lambda scenario, t: scenario.set_registry_status(t, "busy"),
    "idle": lambda scenario, t: scenario.set_registry_status(t, "idle"),
    "waiting": lambda scenario, t: scenario.set_registry_status(t, "waiting", "input needed"),
    "idle, from the time to come": lambda scenario, t: scenario.set_registry_status(t + 5, "idle"),
    "killed": lambda scenario, t: setattr(scenario, "alive", False),
    "back": lambda scenario, t: setattr(scenario, "alive", True),
    "woke": lambda scenario, t: setattr(scenario, "awake_at", START + t),
    "nothing": lambda scenario, t: None,
}
PAUSES = st.sampled_from([-3.0, -0.5, 0.0, 0.05, 0.2, 0.25, 0.3, 0.6, 1.0, 2.0, 30.0, 9 * 3600.0])
"""Seconds to the next look; the clock may be set back."""
MOMENTS = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), PAUSES, st.sampled_from([0.0, 0.0, -1.0, 4.0])), max_size=25
)
"""What happens, the pause before it, and how far off a look of the user's is noted, where it isn't 0."""


class Follower:
    """One session that is followed: its facts are looked at only where they differ."""

    def __init__(self) -> None:
        self.resolver = Resolver()
        self.facts: dict[str, Facts] = {}

    def update(self, facts: Facts, now: float) -> Session:
        changed = {"s"} if self.facts.get("s") != facts else set()
        self.facts = {"s": facts}
        self.resolver.update(self.facts, now, changed)
        return self.resolver.sessions["s"]


@given(MOMENTS, st.booleans(), st.booleans())
def test_any_stream_gives_the_same_result_as_resolving_everything(
    moments: list[tuple[str, float, float]], registry: bool, known: bool
) -> None:
    scenario, follower, t, seen_at = SessionScenario(registry=registry), Follower(), 1.0, 0.0
    for step, pause, look in moments:
        t += pause
        STEPS[step](scenario, t)
        seen_at = START + t + look if look else seen_at
        facts = _replace_seen_at(scenario, seen_at, known=known)
        shown = follower.update(facts, START + t)
        assert shown == resolve(facts, START + t).session


def _replace_seen_at(scenario: SessionScenario, seen_at: float, *, known: bool) -> Any:
    facts = scenario.make_facts()
    assert facts.hooks
    hooks = facts.hooks if known else replace(facts.hooks, processes={}, pid=None)
    return replace(facts, seen_at=seen_at, hooks=hooks)


def test_an_unchanged_session_is_the_same_object() -> None:
    scenario, follower = SessionScenario(), Follower()
    scenario.send_prompt(1)
    first = follower.update(scenario.make_facts(), START + 10)
    assert follower.update(scenario.make_facts(), START + 11) is first
    scenario.set_registry_status(12, "busy")
    scenario.begin_tool(12)
    assert follower.update(scenario.make_facts(), START + 13) is not first


def test_without_a_process_age_makes_a_session_lost() -> None:
    scenario, follower = SessionScenario(registry=False), Follower()
    facts = _replace_seen_at(scenario, 0.0, known=False)
    assert follower.update(facts, START + 8 * 3600 - 1).liveness is Liveness.LIVE
    assert follower.update(facts, START + 8 * 3600).liveness is Liveness.LOST


def test_a_removed_session_is_forgotten() -> None:
    resolver = Resolver()
    facts = {"s": SessionScenario().make_facts()}
    assert resolver.update(facts, START) == {"s"}
    assert resolver.update({}, START) == {"s"}
    assert resolver.sessions == {}
    assert resolver.recheck_at is None
