"""Rows of agents are kept while nothing of what they show changes."""

from typing import Any

import msgspec
import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.session import Agent, AgentState, Context, Cost, Session
from atm_tui.model.tokens import Tokens
from atm_tui.model.wait import Reason, Wait
from atm_tui.view.present import UNICODE
from atm_tui.view.session_rows import RowPlace, SessionRows

AGENT = Agent(agent_id="a1", started_at=1.0)
CHANGES: dict[str, Any] = {
    "agent_id": "a2",
    "name": "scout",
    "kind": "teammate",
    "color": "blue",
    "type": "Explore",
    "description": "Look at it",
    "parent": "a0",
    "state": AgentState.NEEDS_YOU,
    "activity": Activity(kind=ActivityKind.TOOL, tool="Bash", what="make"),
    "since": 7.0,
    "started_at": 2.0,
    "ended_at": 99.0,
    "model": "claude-opus-4-5",
    "tokens": Tokens(input=3),
    "context": Context(used_tokens=4, window_tokens=8, percent=50.0),
    "cost": Cost(usd=2.0),
    "last_reply": "Done.",
}
WAITS = (Wait(key="w", agent_id="a1", reason=Reason.PERMISSION, tool="Bash", summary="make"),)


def test_each_field_is_tried() -> None:
    assert CHANGES.keys() == set(Agent.__struct_fields__)


@pytest.mark.parametrize("field", CHANGES)
@pytest.mark.parametrize("waits", [(), WAITS])
def test_after_a_change_the_rows_are_those_that_would_be_built_anew(field: str, waits: tuple[Wait, ...]) -> None:
    place = RowPlace(("project", "/p"))
    shown = {"color": {"kind": "teammate"}, "ended_at": {"state": AgentState.DONE}}.get(field, {})
    base = Agent(agent_id="a0"), msgspec.structs.replace(AGENT, **shown)
    old = Session(session_id="s", agents=base, waits=waits)
    new = msgspec.structs.replace(old, agents=(base[0], msgspec.structs.replace(base[1], **{field: CHANGES[field]})))
    builder = SessionRows(UNICODE, 10.0)
    before = builder.build(old, place, 100.0, (), None)
    found = builder.build(new, place, 100.0, (), None)
    assert found == SessionRows(UNICODE, 10.0).build(new, place, 100.0, (), None)
    assert (before[1:] == found[1:]) is (field in ("started_at", "model", "tokens", "last_reply"))
