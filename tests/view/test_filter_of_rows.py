"""The filter finds a session by any word that its row shows."""

import pytest

from atm_tui.model.activity import Activity, ActivityKind
from atm_tui.model.filter import parse_filter
from atm_tui.model.session import Agent, AgentState, Context, Cost, Liveness, Session, State
from atm_tui.model.task import Task
from atm_tui.model.wait import Reason, Wait
from atm_tui.view.present import describe_row

WAIT = Wait(key="k", reason=Reason.PERMISSION, tool="Bash", summary="npm test", since=1.0)
SESSIONS = {
    "asks": Session(session_id="asks", name="tables", state=State.NEEDS_YOU, waits=(WAIT,), cost=Cost(usd=5.5)),
    "works": Session(
        session_id="works",
        name="docs",
        state=State.WORKING,
        activity=Activity(kind=ActivityKind.TOOL, tool="Grep", what="TODO"),
        context=Context(percent=81.0),
        tasks=(Task(task_id="1"),),
    ),
    "leads": Session(
        session_id="leads",
        name="api",
        state=State.WORKING,
        agents=(
            Agent(
                agent_id="a1",
                type="general-purpose",
                description="Write the migration",
                activity=Activity(kind=ActivityKind.TOOL, tool="Bash", what="npm run migrate"),
                context=Context(percent=16.0),
                cost=Cost(usd=0.07),
            ),
            Agent(agent_id="a2", type="Explore", description="Find the list", state=AgentState.DONE),
        ),
    ),
    "done": Session(session_id="done", name="css", unseen=True),
    "over": Session(session_id="over", name="old", liveness=Liveness.ENDED, state=State.WORKING),
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"needs you"', "asks"),
        ("permission npm", "asks"),
        ("$5.50", "asks"),
        ("grep", "works"),
        ("81%", "works"),
        ("tasks", "works"),
        ("working", "works leads"),
        ("general-purpose", "leads"),
        ("write migration", "leads"),
        ("migrate", "leads"),
        ("16% $0.07", "leads"),
        ("explore", "leads"),
        ("finished", "done"),
        ("ended", "over"),
        ("nowhere", ""),
    ],
)
def test_a_word_of_the_row_finds_its_session(text: str, found: str) -> None:
    wanted = parse_filter(text, describe_row)
    assert [key for key, session in SESSIONS.items() if wanted.matches(session)] == found.split()
