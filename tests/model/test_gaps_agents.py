"""Gaps of agents: ends that never come, come twice or late, strange ids, nested ones, teammates, shells, workflows, crons."""

from typing import Any

import pytest

from tests.model.scenarios import SessionScenario

BOTH = pytest.mark.parametrize("registry", [True, False], ids=["registry", "no registry"])


def make_scenario(registry: bool) -> SessionScenario:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.start_agent(11)
    scenario.end_turn(12, "a1")
    return scenario


@BOTH
def test_an_agent_keeps_the_session_working_after_stop(registry: bool) -> None:
    scenario = make_scenario(registry)
    assert scenario.describe_status(60) == "working 1 agent"
    assert scenario.list_agents(60) == {"a1": "working"}
    assert scenario.resolve_at(60).background.agents == 1


@BOTH
def test_the_next_stop_ends_an_agent_without_an_end(registry: bool) -> None:
    scenario = make_scenario(registry)
    scenario.send_prompt(20)
    scenario.end_turn(21)
    assert scenario.describe_status(22) == "idle finished"
    assert scenario.list_agents(22) == {"a1": "stopped"}


def test_the_registry_ends_an_agent_without_an_end() -> None:
    scenario = make_scenario(registry=True)
    scenario.set_registry_status(30, "idle")
    assert scenario.describe_status(31) == "idle finished"
    assert scenario.list_agents(31) == {"a1": "stopped"}


@BOTH
def test_a_repeated_end_changes_nothing(registry: bool) -> None:
    scenario = make_scenario(registry)
    scenario.run_hook(20, "SubagentStop", "a1", last_assistant_message="Three.")
    scenario.end_turn(20.5)
    before = scenario.resolve_at(21)
    for t in (50, 80, 110):
        scenario.run_hook(t, "SubagentStop", "a1", last_assistant_message="Three.")
        scenario.set_registry_status(t - 10, "idle")
    after = scenario.resolve_at(120)
    assert (after.state, after.activity, after.agents) == (
        before.state,
        before.activity,
        before.agents,
    )


@BOTH
def test_an_end_that_comes_before_its_start_counts(registry: bool) -> None:
    """Hooks run side by side: the fold goes by the times at which they began."""
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.run_hook(11.6, "SubagentStop", "a1")
    scenario.start_agent(11)
    scenario.end_turn(12)
    assert scenario.list_agents(13) == {"a1": "done"}
    assert scenario.describe_status(13) == "idle finished"


@BOTH
@pytest.mark.parametrize("kind", ["", "Explore"])
def test_the_end_of_an_unknown_agent_creates_no_agent(registry: bool, kind: str) -> None:
    scenario = make_scenario(registry)
    scenario.run_hook(13, "SubagentStop", "nobody", agent_type=kind)
    assert scenario.list_agents(14) == {"a1": "working"}
    assert scenario.describe_status(14) == "working 1 agent"


@BOTH
def test_an_agents_failure_is_not_the_sessions_failure(registry: bool) -> None:
    scenario = make_scenario(registry)
    scenario.run_hook(15, "StopFailure", "a1", error="server_error")
    scenario.end_turn(16)
    assert scenario.describe_status(17) == "idle finished"
    assert scenario.list_agents(17) == {"a1": "failed"}


@BOTH
def test_nested_agents_come_and_go_under_their_parent(registry: bool) -> None:
    scenario = make_scenario(registry)
    given = {"description": "Deeper", "prompt": "x", "subagent_type": "Plan"}
    scenario.run_hook(13, "PreToolUse", "a1", tool_name="Agent", tool_input=given, tool_use_id="n")
    scenario.run_hook(13.1, "SubagentStart", "a2", agent_type="Plan")
    answer = {"isAsync": True, "status": "async_launched", "agentId": "a2", "description": "Deeper"}
    scenario.run_hook(
        13.2, "PostToolUse", "a1", tool_name="Agent", tool_input=given, tool_use_id="n", tool_response=answer
    )
    scenario.run_hook(14, "SubagentStop", "a1")
    assert scenario.list_agents(15) == {"a1": "working", "a2": "working"}
    child = scenario.resolve_at(15).agents[1]
    assert (child.agent_id, child.parent) == ("a2", "a1")
    scenario.run_hook(16, "SubagentStop", "a2", agent_type="Plan")
    scenario.run_hook(16.1, "SubagentStart", "a1")
    assert scenario.list_agents(17) == {"a1": "working", "a2": "done"}
    scenario.run_hook(18, "SubagentStop", "a1")
    scenario.end_turn(18.2)
    assert scenario.list_agents(19) == {"a1": "done", "a2": "done"}
    assert scenario.describe_status(19) == "idle finished"


# --- teams


@BOTH
def test_a_teammate_between_turns_does_not_keep_the_session_working(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    given = {"description": "Review", "prompt": "x", "subagent_type": "general-purpose", "name": "bo"}
    scenario.run_hook(11, "PreToolUse", tool_name="Agent", tool_input=given, tool_use_id="t")
    scenario.run_hook(11.1, "SubagentStart", "abo-1", agent_type="bo")
    answer = {"status": "teammate_spawned", "agentId": "abo-1", "name": "bo"}
    scenario.run_hook(11.2, "PostToolUse", tool_name="Agent", tool_input=given, tool_use_id="t", tool_response=answer)
    assert scenario.list_agents(11.5) == {"abo-1": "working"}
    mate = ({"id": "other", "type": "teammate", "status": "running", "description": "Review"},)
    scenario.run_hook(12, "Stop", background_tasks=list(mate))
    scenario.run_hook(13, "SubagentStop", "abo-1", agent_type="bo")
    scenario.run_hook(13.1, "TeammateIdle", "abo-1", agent_type="bo", teammate_name="bo", team_name="session-1")
    scenario.set_registry_status(13.2, "idle")
    assert scenario.describe_status(20) == "idle finished"
    assert scenario.list_agents(20) == {"abo-1": "idle"}
    assert scenario.resolve_at(20).agents[0].kind == "teammate"


@BOTH
def test_tasks_of_a_team_are_listed_and_done(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    for number in ("1", "2"):
        scenario.run_hook(11, "TaskCreated", task_id=number, task_subject=f"Part {number}", task_description="x")
    scenario.run_hook(12, "TaskCompleted", task_id="1", task_subject="Part 1", task_description="x")
    scenario.run_hook(12.5, "TaskCompleted", task_id="1", task_subject="Part 1", task_description="x")
    assert [(task.subject, task.done) for task in scenario.resolve_at(13).tasks] == [
        ("Part 1", True),
        ("Part 2", False),
    ]
    assert scenario.describe_status(13) == "working thinking"


# --- what else goes on in the background


def make_task(kind: str, **given: Any) -> dict[str, str]:
    return {"id": f"{kind}-1", "type": kind, "status": "running", "description": kind, **given}


@BOTH
def test_a_background_shell_is_counted_but_does_not_keep_the_session_working(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.end_turn(12, tasks=(make_task("shell", command="npm run dev"),))
    assert scenario.describe_status(20) == "idle finished"
    assert scenario.resolve_at(20).background.shells == 1
    scenario.send_prompt(30)
    scenario.end_turn(31)
    assert scenario.resolve_at(32).background.shells == 0


def test_a_workflow_keeps_the_session_working() -> None:
    scenario = SessionScenario(registry=False)
    scenario.send_prompt(10)
    scenario.end_turn(12, tasks=(make_task("workflow"),))
    assert scenario.describe_status(20) == "working 1 workflow"
    assert scenario.resolve_at(20).background.workflows == 1
    scenario.end_turn(30)
    assert scenario.describe_status(31) == "idle finished"


@BOTH
def test_crons_are_counted(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.run_hook(12, "Stop", background_tasks=[], session_crons=[{"id": "c1"}, {"id": "c2"}])
    scenario.set_registry_status(12.1, "idle")
    assert scenario.describe_status(20) == "idle finished"
    assert scenario.resolve_at(20).background.crons == 2
