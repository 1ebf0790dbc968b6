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
    scenario.prompt(10)
    scenario.tool(11)
    scenario.ask(11.1)
    return scenario


def notify(scenario: SessionScenario, t: float, kind: str = "permission_prompt") -> None:
    scenario.hook(t, "Notification", notification_type=kind, message="Claude needs your permission to use Bash")


# --- notifications


@BOTH
def test_notifications_of_an_open_request_add_nothing(registry: bool) -> None:
    scenario = make_asked(registry)
    for t in (17.1, 17.2, 60):
        notify(scenario, t)
        assert scenario.waits(t + 1) == [("", "permission Bash")]
    assert scenario.told(70) == "needs_you permission Bash"


@BOTH
def test_a_notification_that_comes_after_the_answer_opens_nothing(registry: bool) -> None:
    scenario = make_asked(registry)
    scenario.says(14, "busy")
    scenario.hook(15, "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1")
    scenario.hook(15.1, "PostToolBatch")
    notify(scenario, 17.1)
    assert scenario.told(18) == "working thinking"
    assert scenario.waits(18) == []
    scenario.stop(19)
    notify(scenario, 20)
    assert scenario.told(30) == "idle finished"


@BOTH
def test_a_late_idle_notification_ends_no_new_turn(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10)
    scenario.stop(12)
    scenario.prompt(72)
    scenario.hook(71.9, "Notification", notification_type="idle_prompt", message="Claude is waiting for your input")
    assert scenario.told(80) == "working thinking"


def test_for_an_old_client_the_notification_is_the_wait() -> None:
    scenario = SessionScenario(registry=False)
    scenario.prompt(10)
    scenario.tool(11)
    notify(scenario, 17)
    assert scenario.told(18) == "needs_you permission Bash"
    scenario.hook(20, "PostToolUse", tool_name="Bash", tool_input={"command": "npm test"}, tool_use_id="t1")
    assert scenario.told(21) == "working thinking"


# --- prompts that nobody typed


@BOTH
def test_the_report_of_an_agent_is_no_prompt_and_clears_no_wait(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10, "fix the tests")
    scenario.agent(11, "a1")
    scenario.agent(11.5, "a2")
    scenario.stop(12, "a1", "a2")
    scenario.tool(13, agent="a2")
    scenario.ask(13.1, agent="a2")
    scenario.hook(14, "SubagentStop", "a1")
    report = "<task-notification><task-id>a1</task-id><status>completed</status></task-notification>"
    scenario.hook(14.1, "UserPromptSubmit", prompt=report, prompt_id="n1")
    session = scenario.at(15)
    assert (session.turns, session.last_prompt) == (1, "fix the tests")
    assert session.name == "fix the tests"
    assert scenario.waits(15) == [("a2", "permission Bash")]
    assert scenario.agents(15) == {"a1": "done", "a2": "needs_you"}


# --- two waits at once


@BOTH
@pytest.mark.parametrize("first", ["main", "agent"])
def test_two_waits_are_answered_in_either_order(registry: bool, first: str) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10)
    scenario.agent(10.5)
    scenario.tool(11, key="t1")
    scenario.ask(11.1)
    scenario.tool(11.3, agent="a1", key="t2", command="rm x")
    scenario.ask(11.4, agent="a1", command="rm x")
    assert scenario.waits(12) == [("", "permission Bash"), ("a1", "permission Bash")]
    assert describe_activity(scenario.at(12).activity) == "permission Bash +1"

    def done(t: float, who: str) -> None:
        agent, key, command = ("a1", "t2", "rm x") if who == "agent" else ("", "t1", "npm test")
        scenario.hook(t, "PostToolUse", agent, tool_name="Bash", tool_input={"command": command}, tool_use_id=key)
        scenario.hook(t + 0.1, "PostToolBatch", agent)

    other = "agent" if first == "main" else "main"
    done(20, first)
    assert scenario.waits(21) == [("a1" if other == "agent" else "", "permission Bash")]
    assert scenario.told(21) == "needs_you permission Bash"
    scenario.says(24.8, "busy")
    done(25, other)
    assert scenario.waits(26) == []
    assert scenario.told(26) == "working thinking"


# --- time


@BOTH
def test_a_tool_of_twenty_minutes_still_works(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10)
    scenario.tool(11)
    session = scenario.at(11 + 1200)
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
    working.prompt(10)
    resting.prompt(10)
    resting.stop(12)
    for scenario in (working, waiting, resting):
        before = scenario.at(20)
        scenario.awake_at = START + 20 + HOUR
        assert scenario.at(20 + HOUR) == before


def test_a_turn_that_began_as_the_machine_fell_asleep_goes_on_when_it_wakes() -> None:
    """The registry had no time yet to say "busy"."""
    scenario = SessionScenario()
    scenario.hook(10, "UserPromptSubmit", prompt="go on", prompt_id="p")
    scenario.awake_at = START + 10 + HOUR
    assert scenario.told(10.05 + HOUR) == "working thinking"
    scenario.says(10.1 + HOUR, "busy")
    assert scenario.told(20 + HOUR) == "working thinking"


def test_the_registry_still_counts_after_the_clock_was_set_back() -> None:
    """New events lose against those from the future: the registry stands in until the clock has caught up."""
    scenario = SessionScenario()
    scenario.prompt(HOUR)
    scenario.stop(HOUR + 10)
    scenario.prompt(20)
    assert scenario.told(21)[:7] == "working"
    scenario.tool(22)
    scenario.ask(22.1)
    assert scenario.told(24) == "needs_you permission"
    scenario.says(25, "busy")
    assert scenario.told(26)[:7] == "working"
    scenario.hook(30, "Stop")
    scenario.says(30.1, "idle")
    assert scenario.told(31) == "idle finished"


# --- errors, compaction, boot


@BOTH
def test_an_error_of_the_api_that_the_client_gets_over_is_no_failure(registry: bool) -> None:
    """The client tries again by itself, and tells nothing of it."""
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10)
    scenario.transcript = TranscriptFacts(path="", last_line_at=START + 10.1)
    assert scenario.told(50) == "working thinking"
    scenario.stop(51)
    assert scenario.told(52) == "idle finished"


@BOTH
def test_a_failed_turn_is_over_when_the_next_begins(registry: bool) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10)
    scenario.hook(11, "StopFailure", error="rate_limit")
    scenario.hook(11.1, "StopFailure", error="rate_limit")
    scenario.says(11.2, "idle")
    assert scenario.told(20) == "needs_you failed: rate limit"
    scenario.prompt(21)
    assert scenario.told(22) == "working thinking"
    scenario.stop(23)
    assert scenario.told(24) == "idle finished"


@BOTH
@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_a_compaction_is_shown_and_then_the_state_before(registry: bool, trigger: str) -> None:
    scenario = SessionScenario(registry=registry)
    scenario.prompt(10)
    scenario.stop(11)
    if trigger == "auto":
        scenario.prompt(20)
    scenario.hook(20.2, "PreCompact", trigger=trigger)
    scenario.says(20.3, "busy")
    assert scenario.told(22) == "working compacting"
    for t in (22.1, 22.2):
        scenario.hook(t, "SubagentStop", f"ghost{t}", agent_type="")
    scenario.hook(22.3, "SessionStart", source="compact")
    scenario.hook(22.4, "PostCompact", trigger=trigger)
    if trigger == "auto":
        assert scenario.told(23) == "working thinking"
        scenario.stop(24)
    else:
        scenario.says(22.5, "idle")
    assert scenario.told(30) == "idle finished"
    assert scenario.at(30).agents == ()


def test_a_failed_compaction_ends() -> None:
    scenario = SessionScenario()
    scenario.prompt(10)
    scenario.stop(11)
    scenario.hook(20, "PreCompact", trigger="manual")
    scenario.says(20.1, "busy")
    scenario.says(23, "idle")
    assert scenario.told(24) == "idle finished"


def test_state_from_before_the_last_boot_is_no_live_session() -> None:
    scenario = make_asked(registry=True)
    scenario.alive = False
    scenario.boot_at = START + 60
    session = scenario.at(100)
    assert (session.liveness, session.state, session.waits) == (Liveness.LOST, State.IDLE, ())
    unknown = msgspec.convert(scenario.state, HookState)
    unknown = msgspec.structs.replace(unknown, pid=None, processes={})
    facts = Facts(session_id="s", hooks=unknown, boot_at=scenario.boot_at)
    assert resolve(facts, START + 100).session.liveness is Liveness.LOST
