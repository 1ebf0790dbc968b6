"""Gaps of the main thread that hooks leave: late and repeated notifications, two waits, long tools, sleep, clocks, boots."""

import msgspec
import pytest

from atm_tui.model.facts import HookState
from atm_tui.model.resolve import Facts, resolve
from atm_tui.model.session import Liveness, State
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.view.status_text import describe_activity
from tests.model.scenarios import START, SessionScenario

BOTH = pytest.mark.parametrize("registry", [True, False], ids=["registry", "no registry"])
HOUR = 3600.0


def make_asked(registry: bool) -> SessionScenario:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.begin_tool(11)
    scenario.request_permission(11.1)
    return scenario


def notify(scenario: SessionScenario, t: float, kind: str = "permission_prompt") -> None:
    scenario.run_hook(t, "Notification", notification_type=kind, message="Claude needs your permission to use Bash")


# --- notifications


@BOTH
def test_notifications_of_an_open_request_add_nothing(registry: bool) -> None:
    scenario = make_asked(registry)
    for t in (17.1, 17.2, 60):
        notify(scenario, t)
        assert scenario.list_waits(t + 1) == [("", "permission Bash")]
    assert scenario.describe_status(70) == "needs_you permission Bash"


@BOTH
def test_a_notification_that_comes_after_the_answer_opens_nothing(registry: bool) -> None:
    scenario = make_asked(registry)
    scenario.set_registry_status(14, "busy")
    scenario.run_hook(15, "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1")
    scenario.run_hook(15.1, "PostToolBatch")
    notify(scenario, 17.1)
    assert scenario.describe_status(18) == "working thinking"
    assert scenario.list_waits(18) == []
    scenario.end_turn(19)
    notify(scenario, 20)
    assert scenario.describe_status(30) == "idle finished"


@BOTH
def test_a_late_idle_notification_does_not_end_a_new_turn(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.end_turn(12)
    scenario.send_prompt(72)
    scenario.run_hook(71.9, "Notification", notification_type="idle_prompt", message="Claude is waiting for your input")
    assert scenario.describe_status(80) == "working thinking"


def test_for_an_old_client_the_notification_is_the_wait() -> None:
    scenario = SessionScenario(registry=False)
    scenario.send_prompt(10)
    scenario.begin_tool(11)
    notify(scenario, 17)
    assert scenario.describe_status(18) == "needs_you permission Bash"
    scenario.run_hook(20, "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1")
    assert scenario.describe_status(21) == "working thinking"


# --- prompts that nobody typed


@BOTH
def test_an_agents_report_is_not_a_prompt_and_clears_no_wait(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10, "fix the tests")
    scenario.start_agent(11, "a1")
    scenario.start_agent(11.5, "a2")
    scenario.end_turn(12, "a1", "a2")
    scenario.begin_tool(13, agent="a2")
    scenario.request_permission(13.1, agent="a2")
    scenario.run_hook(14, "SubagentStop", "a1")
    report = "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>"
    scenario.run_hook(14.1, "UserPromptSubmit", prompt=report, prompt_id="n1")
    session = scenario.resolve_at(15)
    assert (session.turns, session.last_prompt) == (1, "fix the tests")
    assert session.name == "fix the tests"
    assert scenario.list_waits(15) == [("a2", "permission Bash")]
    assert scenario.list_agents(15) == {"a1": "done", "a2": "needs_you"}


# --- two waits at once


@BOTH
@pytest.mark.parametrize("first", ["main", "agent"])
def test_two_waits_are_answered_in_either_order(registry: bool, first: str) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.start_agent(10.5)
    scenario.begin_tool(11, key="t1")
    scenario.request_permission(11.1)
    scenario.begin_tool(11.3, agent="a1", key="t2", command="rm x")
    scenario.request_permission(11.4, agent="a1", command="rm x")
    assert scenario.list_waits(12) == [("", "permission Bash"), ("a1", "permission Bash")]
    assert describe_activity(scenario.resolve_at(12).activity) == "permission Bash +1"

    def done(t: float, who: str) -> None:
        agent, key, command = ("a1", "t2", "rm x") if who == "agent" else ("", "t1", "npm test")
        scenario.run_hook(t, "PostToolUse", agent, tool_name="Bash", tool_input={"command": command}, tool_use_id=key)
        scenario.run_hook(t + 0.1, "PostToolBatch", agent)

    other = "agent" if first == "main" else "main"
    done(20, first)
    assert scenario.list_waits(21) == [("a1" if other == "agent" else "", "permission Bash")]
    assert scenario.describe_status(21) == "needs_you permission Bash"
    scenario.set_registry_status(24.8, "busy")
    done(25, other)
    assert scenario.list_waits(26) == []
    assert scenario.describe_status(26) == "working thinking"


# --- time


@BOTH
def test_a_tool_that_runs_for_twenty_minutes_is_still_working(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.begin_tool(11)
    session = scenario.resolve_at(11 + 1200)
    assert (session.state, describe_activity(session.activity), session.liveness) == (
        State.WORKING,
        "Bash npm test",
        Liveness.LIVE,
    )
    assert session.since == START + 10


@BOTH
def test_an_hour_of_sleep_changes_nothing(registry: bool) -> None:
    working, waiting, resting = (
        SessionScenario(registry=registry),
        make_asked(registry),
        SessionScenario(registry=registry),
    )
    working.send_prompt(10)
    resting.send_prompt(10)
    resting.end_turn(12)
    for scenario in (working, waiting, resting):
        before = scenario.resolve_at(20)
        scenario.awake_at = START + 20 + HOUR
        assert scenario.resolve_at(20 + HOUR) == before


def test_a_turn_started_just_before_sleep_continues_after_waking() -> None:
    """The registry had no time yet to say "busy"."""
    scenario = SessionScenario()
    scenario.run_hook(10, "UserPromptSubmit", prompt="go on", prompt_id="p")
    scenario.awake_at = START + 10 + HOUR
    assert scenario.describe_status(10.05 + HOUR) == "working thinking"
    scenario.set_registry_status(10.1 + HOUR, "busy")
    assert scenario.describe_status(20 + HOUR) == "working thinking"


def test_the_registry_still_counts_after_the_clock_was_set_back() -> None:
    """New events lose against those from the future: the registry stands in until the clock has caught up."""
    scenario = SessionScenario()
    scenario.send_prompt(HOUR)
    scenario.end_turn(HOUR + 10)
    scenario.send_prompt(20)
    assert scenario.describe_status(21)[:7] == "working"
    scenario.begin_tool(22)
    scenario.request_permission(22.1)
    assert scenario.describe_status(24) == "needs_you permission"
    scenario.set_registry_status(25, "busy")
    assert scenario.describe_status(26)[:7] == "working"
    scenario.run_hook(30, "Stop")
    scenario.set_registry_status(30.1, "idle")
    assert scenario.describe_status(31) == "idle finished"


# --- errors, compaction, boot


@BOTH
def test_an_api_error_that_the_client_recovers_from_is_not_a_failure(registry: bool) -> None:
    """The client tries again by itself, and tells nothing of it."""
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.transcript = TranscriptFacts(path="", last_line_at=START + 10.1)
    assert scenario.describe_status(50) == "working thinking"
    scenario.end_turn(51)
    assert scenario.describe_status(52) == "idle finished"


@BOTH
def test_a_failed_turn_is_over_when_the_next_begins(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.run_hook(11, "StopFailure", error="rate_limit")
    scenario.run_hook(11.1, "StopFailure", error="rate_limit")
    scenario.set_registry_status(11.2, "idle")
    assert scenario.describe_status(20) == "needs_you failed: rate limit"
    scenario.send_prompt(21)
    assert scenario.describe_status(22) == "working thinking"
    scenario.end_turn(23)
    assert scenario.describe_status(24) == "idle finished"


@BOTH
@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_after_a_compaction_the_previous_state_is_shown(registry: bool, trigger: str) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.send_prompt(10)
    scenario.end_turn(11)
    if trigger == "auto":
        scenario.send_prompt(20)
    scenario.run_hook(20.2, "PreCompact", trigger=trigger)
    scenario.set_registry_status(20.3, "busy")
    assert scenario.describe_status(22) == "working compacting"
    for t in (22.1, 22.2):
        scenario.run_hook(t, "SubagentStop", f"ghost{t}", agent_type="")
    scenario.run_hook(22.3, "SessionStart", source="compact")
    scenario.run_hook(22.4, "PostCompact", trigger=trigger)
    if trigger == "auto":
        assert scenario.describe_status(23) == "working thinking"
        scenario.end_turn(24)
    else:
        scenario.set_registry_status(22.5, "idle")
    assert scenario.describe_status(30) == "idle finished"
    assert scenario.resolve_at(30).agents == ()


def test_a_failed_compaction_ends() -> None:
    scenario = SessionScenario()
    scenario.send_prompt(10)
    scenario.end_turn(11)
    scenario.run_hook(20, "PreCompact", trigger="manual")
    scenario.set_registry_status(20.1, "busy")
    scenario.set_registry_status(23, "idle")
    assert scenario.describe_status(24) == "idle finished"


def test_a_state_from_before_the_last_boot_is_not_live() -> None:
    scenario = make_asked(registry=True)
    scenario.alive = False
    scenario.boot_at = START + 60
    session = scenario.resolve_at(100)
    assert (session.liveness, session.state, session.waits) == (Liveness.LOST, State.IDLE, ())
    unknown = msgspec.convert(scenario.state, HookState)
    unknown = msgspec.structs.replace(unknown, pid=None, processes={})
    facts = Facts(session_id="s", hooks=unknown, boot_at=scenario.boot_at)
    assert resolve(facts, START + 100).session.liveness is Liveness.LOST
