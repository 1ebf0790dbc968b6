"""Agent teams with the real client: where it writes tasks, and what becomes of a lead and its teammates in atm-tui."""

import threading

import pytest

from tests.client.api import Hold, Text, Tool, Tools
from tests.client.gaps import Row, ShownSession
from tests.client.sandbox import Sandbox

TEAMS = {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}
WITH_TASKS = ("--permission-mode", "default", "--model", "claude-sonnet-4-6")
"""A model that has the tools for tasks."""


def script_team(sandbox: Sandbox) -> threading.Event:
    """The researcher completes its task; the writer works until the event is set."""
    gate = threading.Event()
    subjects = ("Research the topic", "Write the guide", "Print it")
    launches = [
        Tool(
            "Agent", {"description": f"{name}s it", "prompt": prompt, "name": name, "subagent_type": "general-purpose"}
        )
        for name, prompt in (("researcher", "look it up"), ("writer", "write it down"))
    ]
    sandbox.api.script(
        "start a team",
        Tools([Tool("TaskCreate", {"subject": each, "description": each}) for each in subjects]),
        Tools(launches),
        Text("The team is running."),
    )
    begin = [Tool("TaskUpdate", {"taskId": each, "status": "in_progress"}) for each in "12"]
    done = Tool("TaskUpdate", {"taskId": "1", "status": "completed"})
    sandbox.api.script("look it up", begin[0], done, Text("Looked up."))
    sandbox.api.script("write it down", begin[1], Hold(gate, Text("Written.")))
    return gate


@pytest.mark.long
def test_teammates_in_the_process_of_their_lead(sandbox: Sandbox) -> None:
    gate = script_team(sandbox)
    sandbox.install()
    client = sandbox.start_client(sandbox.make_project("shop"), *WITH_TASKS, env=TEAMS)
    client.type_prompt("please start a team")
    lead = ShownSession(sandbox, client.session_id)

    def researched(row: Row) -> bool:
        agents = {each["name"]: (each["kind"], each["state"], each["task_id"]) for each in row["agents"]}
        assert agents == {"researcher": ("teammate", "idle", None), "writer": ("teammate", "working", "2")}, agents
        assert all(each["color"] for each in row["agents"])
        tasks = [(each["state"], each["owner"]) for each in row["tasks"]]
        assert tasks == [("completed", "researcher"), ("in_progress", "writer"), ("pending", None)], tasks
        return True

    lead.wait_for_row(researched)
    gate.set()
    lead.wait_for_state("idle", "finished")


@pytest.mark.long
def test_teammates_in_panes_of_their_own(sandbox: Sandbox) -> None:
    gate = script_team(sandbox)
    sandbox.install()
    client = sandbox.start_client(sandbox.make_project("shop"), *WITH_TASKS, "--teammate-mode", "tmux", env=TEAMS)
    client.type_prompt("please start a team")
    lead = ShownSession(sandbox, client.session_id)

    def one_works(row: Row) -> bool:
        assert [each["state"] for each in row["tasks"]] == ["completed", "in_progress", "pending"]
        team = [each for each in sandbox.read_status()["sessions"] if each["team"]]
        assert all(client.session_id.startswith(each["team"]["lead"]) and each["team"]["color"] for each in team), team
        assert {each["name"]: each["state"] for each in team} == {"researcher": "idle", "writer": "working"}, team
        return True

    lead.wait_for_row(one_works)
    lead.wait_for_state("idle", "finished")
    gate.set()
