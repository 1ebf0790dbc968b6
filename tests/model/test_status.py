"""Each row of the table in status.py: which source decides when hooks, registry and transcript disagree."""

from typing import Any

import pytest

from atm_tui.model.activity import ActivityKind
from atm_tui.model.facts import (
    BackgroundTask,
    BackgroundTasks,
    GivenAnswer,
    HookActivity,
    HookAgent,
    HookState,
    RegistryEntry,
)
from atm_tui.model.session import State
from atm_tui.model.status import BLIP, GRACE, SETTLE, decide_status, find_deciding_entry
from atm_tui.model.status_value import Status
from atm_tui.model.transcript import Interruption, TranscriptFacts
from atm_tui.model.wait import Reason, Wait
from atm_tui.view.status_text import describe_activity

NOW = 1_000_000.0


def make_hooks(kind: str, since: float, **given: Any) -> HookState:
    began = given.pop("began", since if kind in ("thinking", "tool") else 0.0)
    activity = HookActivity(
        kind=ActivityKind(kind),
        since=since,
        began=began,
        tool=given.pop("tool", "Bash" if kind == "tool" else ""),
        summary=given.pop("summary", "npm test" if kind == "tool" else ""),
        error=given.pop("error", ""),
    )
    return HookState(schema=1, session_id="s", activity=activity, last_event="some", **given)


def make_registry(status: str | None, at: float, waiting_for: str = "", pid: int = 7) -> tuple[RegistryEntry, ...]:
    return (
        RegistryEntry(
            pid=pid, session_id="s", status=status, status_at=at, waiting_for=waiting_for, started_at=NOW - 900
        ),
    )


def make_ask(since: float, agent: str = "") -> Wait:
    return Wait(
        key=f"{agent}|Bash", agent_id=agent, reason=Reason.PERMISSION, tool="Bash", summary="npm test", since=since
    )


def describe_status(status: Status) -> tuple[str, str, str]:
    return status.state.value, describe_activity(status.activity), status.evidence.source


# --- no registry, or one that does not say


@pytest.mark.parametrize("entries", [(), make_registry(None, 0.0)])
def test_without_a_registry_status_the_hooks_decide(entries: tuple[RegistryEntry, ...]) -> None:
    assert describe_status(decide_status(make_hooks("tool", NOW - 1200), entries, None, NOW)) == (
        "working",
        "Bash npm test",
        "hooks",
    )


def test_without_a_registry_the_transcript_reveals_esc() -> None:
    transcript = TranscriptFacts(path="", interruption=Interruption(at=NOW - 3))
    status = decide_status(make_hooks("tool", NOW - 10), (), transcript, NOW)
    assert describe_status(status) == ("idle", "interrupted", "transcript")
    assert (status.reason, status.since) == (Reason.INTERRUPTED, NOW - 3)


def test_without_a_registry_the_transcript_reveals_a_refused_prompt() -> None:
    transcript = TranscriptFacts(path="", api_error=True, api_error_kind="invalid_request", last_line_at=NOW - 3)
    status = decide_status(make_hooks("thinking", NOW - 10), (), transcript, NOW)
    assert describe_status(status) == ("needs_you", "failed: invalid request", "transcript")
    assert describe_status(decide_status(make_hooks("thinking", NOW - 2), (), transcript, NOW))[1] == "thinking"


def test_an_interruption_before_the_turn_is_an_old_one() -> None:
    transcript = TranscriptFacts(path="", interruption=Interruption(at=NOW - 30))
    assert describe_status(decide_status(make_hooks("tool", NOW - 10), (), transcript, NOW))[1] == "Bash npm test"


def test_esc_in_the_main_thread_keeps_the_wait_of_a_subagent() -> None:
    transcript = TranscriptFacts(path="", interruption=Interruption(at=NOW - 3))
    both = make_hooks("tool", NOW - 10, waits=(make_ask(NOW - 9), make_ask(NOW - 8, "a1")))
    status = decide_status(both, (), transcript, NOW)
    assert [wait.agent_id for wait in status.waits] == ["a1"]


# --- registry idle or shell


@pytest.mark.parametrize("said", ["idle", "shell"])
def test_idle_newer_than_the_hooks_is_an_interruption(said: str) -> None:
    status = decide_status(make_hooks("tool", NOW - 10), make_registry(said, NOW - 1), None, NOW)
    assert describe_status(status) == ("idle", "interrupted", "registry")
    assert (status.since, status.agents_over) == (NOW - 1, NOW - 1)


def test_a_brief_idle_is_not_yet_trusted_and_schedules_another_check() -> None:
    status = decide_status(make_hooks("tool", NOW - 10), make_registry("idle", NOW - 0.1), None, NOW)
    assert describe_status(status)[:2] == ("working", "Bash npm test")
    assert status.recheck_at == pytest.approx(NOW - 0.1 + BLIP)
    assert not status.evidence.agrees


def test_idle_older_than_the_hooks_is_outdated() -> None:
    status = decide_status(make_hooks("thinking", NOW - 0.2), make_registry("idle", NOW - 50), None, NOW)
    assert describe_status(status)[:2] == ("working", "thinking")
    assert status.recheck_at == pytest.approx(NOW - 0.2 + GRACE)


def test_persistent_idle_after_a_prompt_is_trusted() -> None:
    """A prompt that the client refused at once: the context limit with auto-compact off."""
    assert describe_status(decide_status(make_hooks("thinking", NOW - 5), make_registry("idle", NOW - 50), None, NOW))[
        :2
    ] == (
        "idle",
        "interrupted",
    )


def test_a_refused_prompt_is_a_failed_turn_when_the_transcript_says_so() -> None:
    transcript = TranscriptFacts(path="", api_error=True, api_error_kind="invalid_request", last_line_at=NOW - 4)
    status = decide_status(make_hooks("thinking", NOW - 5), make_registry("idle", NOW - 4), transcript, NOW)
    assert describe_status(status)[:2] == ("needs_you", "failed: invalid request")
    assert status.reason is Reason.FAILED


def test_a_turn_whose_stop_was_lost_is_finished_when_the_transcript_notes_its_end() -> None:
    transcript = TranscriptFacts(path="", turn_ended_at=NOW - 4)
    assert describe_status(
        decide_status(make_hooks("thinking", NOW - 50), make_registry("idle", NOW - 4), transcript, NOW)
    )[:2] == (
        "idle",
        "finished",
    )


def test_a_denied_permission_ends_the_turn() -> None:
    status = decide_status(
        make_hooks("tool", NOW - 60, waits=(make_ask(NOW - 59),)), make_registry("idle", NOW - 2), None, NOW
    )
    assert describe_status(status)[:2] == ("idle", "interrupted")
    assert status.waits == ()


def test_idle_ends_agents_without_an_end_event() -> None:
    agents = {"a1": HookAgent(type="Explore", state="working", since=NOW - 30, started_at=NOW - 30)}
    status = decide_status(make_hooks("finished", NOW - 40, agents=agents), make_registry("idle", NOW - 3), None, NOW)
    assert describe_status(status)[:2] == ("idle", "finished")
    assert status.agents_over == NOW - 3


def test_when_both_sources_say_idle_the_hooks_give_the_detail() -> None:
    status = decide_status(
        make_hooks("failed", NOW - 40, error="rate_limit"), make_registry("idle", NOW - 39), None, NOW
    )
    assert describe_status(status) == ("needs_you", "failed: rate limit", "hooks")
    assert status.evidence.agrees


# --- registry busy


def test_busy_after_a_request_means_that_it_was_answered() -> None:
    status = decide_status(
        make_hooks("tool", NOW - 60, waits=(make_ask(NOW - 59),)), make_registry("busy", NOW - 50), None, NOW
    )
    assert describe_status(status) == ("working", "Bash npm test", "registry")
    assert status.waits == ()


def test_busy_at_the_time_of_the_request_precedes_the_dialog() -> None:
    asked = make_hooks("tool", NOW - 0.3, waits=(make_ask(NOW - 0.2),))
    status = decide_status(asked, make_registry("busy", NOW - 0.2 + SETTLE / 2), None, NOW)
    assert describe_status(status)[:2] == ("needs_you", "permission Bash")
    assert status.recheck_at


def test_persistent_busy_after_a_request_means_that_no_dialog_is_open() -> None:
    """A rule, another hook or a headless client decided it."""
    status = decide_status(
        make_hooks("tool", NOW - 3, waits=(make_ask(NOW - 2),)), make_registry("busy", NOW - 9), None, NOW
    )
    assert status.state is State.WORKING


def test_busy_without_a_prompt_is_a_turn_that_no_hook_announced() -> None:
    """`!command`, or a prompt that was queued while text was written."""
    assert describe_status(decide_status(make_hooks("finished", NOW - 9), make_registry("busy", NOW - 2), None, NOW))[
        :2
    ] == (
        "working",
        "thinking",
    )
    still = decide_status(make_hooks("finished", NOW - 2), make_registry("busy", NOW - 60), None, NOW)
    assert describe_status(still)[:2] == ("working", "thinking")


def test_a_new_session_in_a_busy_client_inherits_its_running_agents() -> None:
    """/clear leaves background agents running, and tells no event of them."""
    status = decide_status(make_hooks("new", NOW - 2), make_registry("busy", NOW - 60), None, NOW)
    assert describe_status(status) == ("working", "background agents", "registry")
    assert describe_status(decide_status(make_hooks("new", NOW - 0.2), make_registry("busy", NOW - 60), None, NOW))[
        :2
    ] == (
        "idle",
        "new",
    )
    assert describe_status(decide_status(make_hooks("new", NOW - 9), make_registry("busy", NOW - 2), None, NOW))[
        :2
    ] == (
        "working",
        "thinking",
    )


def test_a_brief_busy_is_not_a_turn() -> None:
    status = decide_status(make_hooks("finished", NOW - 9), make_registry("busy", NOW - 0.08), None, NOW)
    assert describe_status(status)[:2] == ("idle", "finished")
    assert status.recheck_at


def test_busy_right_after_stop_is_outdated() -> None:
    assert describe_status(
        decide_status(make_hooks("finished", NOW - 0.1), make_registry("busy", NOW - 60), None, NOW)
    )[:2] == (
        "idle",
        "finished",
    )


def test_busy_with_background_agents_agrees_with_the_hooks() -> None:
    agents = {key: HookAgent(type="Explore", state="working", since=NOW - 30) for key in ("a1", "a2")}
    status = decide_status(make_hooks("finished", NOW - 20, agents=agents), make_registry("busy", NOW - 60), None, NOW)
    assert describe_status(status) == ("working", "2 agents", "hooks")
    assert status.evidence.agrees


# --- registry waiting


def test_when_both_sources_say_waiting_the_hooks_give_the_detail() -> None:
    status = decide_status(
        make_hooks("tool", NOW - 60, waits=(make_ask(NOW - 59),)), make_registry("waiting", NOW - 58), None, NOW
    )
    assert describe_status(status) == ("needs_you", "permission Bash", "hooks")


@pytest.mark.parametrize(
    ("waiting_for", "tool", "detail"),
    [
        ("permission prompt", "Bash", "permission Bash"),
        ("permission prompt", "ExitPlanMode", "plan"),
        ("input needed", "AskUserQuestion", "question"),
        ("input needed", "", "MCP input"),
        ("dialog open", "", "dialog"),
        ("sandbox request", "Bash", "permission Bash"),
        ("goal proposal", "", "dialog"),
    ],
)
def test_waiting_without_a_hook_event_is_the_dialog_named_by_the_registry(
    waiting_for: str, tool: str, detail: str
) -> None:
    claim = make_hooks("tool", NOW - 9, tool=tool, summary="x") if tool else make_hooks("thinking", NOW - 9)
    status = decide_status(claim, make_registry("waiting", NOW - 2, waiting_for), None, NOW)
    assert describe_status(status) == ("needs_you", detail, "registry")
    assert len(status.waits) == 1


def test_another_dialog_means_that_the_request_was_denied() -> None:
    """ "No" fires nothing, and then the user opened a dialog of the client's own."""
    claim = make_hooks("tool", NOW - 9, waits=(make_ask(NOW - 8),))
    status = decide_status(claim, make_registry("waiting", NOW - 2, "dialog open"), None, NOW)
    assert describe_status(status) == ("needs_you", "dialog", "registry")
    assert [wait.reason for wait in status.waits] == [Reason.DIALOG]
    for same in (
        make_registry("waiting", NOW - 2, "permission prompt"),
        make_registry("waiting", NOW - 2, "a new word"),
    ):
        assert describe_status(decide_status(claim, same, None, NOW)) == ("needs_you", "permission Bash", "hooks")
    soon = make_registry("waiting", NOW - 8 + GRACE / 2, "dialog open")
    assert describe_status(decide_status(claim, soon, None, NOW)) == ("needs_you", "permission Bash", "hooks")


def test_waiting_just_after_the_answer_is_outdated() -> None:
    assert describe_status(
        decide_status(make_hooks("thinking", NOW - 0.1), make_registry("waiting", NOW - 9), None, NOW)
    )[:2] == (
        "working",
        "thinking",
    )


# --- nothing heard


@pytest.mark.parametrize(
    ("said", "waiting_for", "expected"),
    [
        ("busy", "", ("working", "thinking")),
        ("waiting", "permission prompt", ("needs_you", "permission")),
        ("idle", "", ("idle", "new")),
        (None, "", ("idle", "")),
    ],
)
def test_a_session_without_hooks_has_the_registrys_status(
    said: str | None, waiting_for: str, expected: tuple[str, str]
) -> None:
    assert describe_status(decide_status(None, make_registry(said, NOW - 5, waiting_for), None, NOW)) == (
        *expected,
        "registry",
    )


def test_a_session_without_hooks_that_had_turns_is_finished() -> None:
    transcript = TranscriptFacts(path="", last_prompt_at=NOW - 60, turn_ended_at=NOW - 50)
    assert describe_status(decide_status(None, make_registry("idle", NOW - 50), transcript, NOW))[1] == "finished"


# --- several


def test_the_oldest_of_two_waits_is_described_and_the_other_counted() -> None:
    status = decide_status(
        make_hooks("tool", NOW - 60, waits=(make_ask(NOW - 59), make_ask(NOW - 20, "a1"))), (), None, NOW
    )
    assert (describe_activity(status.activity), status.since, len(status.waits)) == ("permission Bash +1", NOW - 59, 2)


def test_of_two_processes_the_one_that_waits_decides() -> None:
    entries = make_registry("idle", NOW - 1) + make_registry("waiting", NOW - 30, "dialog open", pid=8)
    assert find_deciding_entry(entries) == entries[1]


def test_a_background_workflow_keeps_it_working_and_a_shell_does_not() -> None:
    tasks = (
        BackgroundTask(id="w", type="workflow", status="running"),
        BackgroundTask(id="b", type="shell", status="running"),
    )
    flow = make_hooks("finished", NOW - 5, background=BackgroundTasks(at=NOW - 5, tasks=tasks))
    shell = make_hooks("finished", NOW - 5, background=BackgroundTasks(at=NOW - 5, tasks=tasks[1:]))
    assert describe_status(decide_status(flow, (), None, NOW))[:2] == ("working", "1 workflow")
    assert describe_status(decide_status(shell, (), None, NOW))[:2] == ("idle", "finished")


def test_after_the_clock_was_set_back_the_registry_is_newer_than_hooks_from_the_future() -> None:
    ahead = make_hooks("thinking", NOW + 3600)
    assert describe_status(decide_status(ahead, make_registry("idle", NOW - 5), None, NOW))[:2] == (
        "idle",
        "interrupted",
    )
    asked = make_hooks("tool", NOW + 3500, waits=(make_ask(NOW + 3600),))
    assert describe_status(decide_status(asked, make_registry("busy", NOW - 5), None, NOW))[:2] == (
        "working",
        "Bash npm test",
    )


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (make_hooks("thinking", NOW - 3600), make_registry("idle", NOW - 9000)),
        (make_hooks("thinking", NOW - 9000), make_registry("idle", NOW - 3600)),
        (make_hooks("finished", NOW - 3600), make_registry("busy", NOW - 9000)),
        (make_hooks("finished", NOW - 9000), make_registry("busy", NOW - 3600)),
        (make_hooks("tool", NOW - 9000, waits=(make_ask(NOW - 3600),)), make_registry("busy", NOW - 9000)),
        (make_hooks("thinking", NOW - 9000), make_registry("waiting", NOW - 3600, "dialog open")),
        (make_hooks("thinking", NOW - 3600), make_registry("waiting", NOW - 9000, "dialog open")),
    ],
)
def test_a_contradiction_before_sleep_gets_its_grace_time_after_waking(
    claim: HookState, said: tuple[RegistryEntry, ...]
) -> None:
    alone = decide_status(claim, (), None, NOW)
    woken = decide_status(claim, said, None, NOW, awake_at=NOW - 0.1)
    assert describe_status(woken) == describe_status(alone)
    assert woken.recheck_at
    assert NOW < woken.recheck_at <= NOW + GRACE
    later = decide_status(claim, said, None, woken.recheck_at + 0.001, awake_at=NOW - 0.1)
    assert describe_status(later)[:2] != describe_status(alone)[:2]


def test_a_registry_entry_from_before_the_clock_was_set_back_is_trusted() -> None:
    assert describe_status(decide_status(make_hooks("tool", NOW + 3500), make_registry("idle", NOW + 3600), None, NOW))[
        :2
    ] == (
        "idle",
        "interrupted",
    )


# --- an answer given in atm-tui


def test_an_answer_given_here_outweighs_the_registrys_waiting() -> None:
    answered = make_hooks("tool", NOW - 60, answers=(GivenAnswer(at=NOW - 0.1, key="|Bash"),))
    waiting = make_registry("waiting", NOW - 59, "permission prompt")
    status = decide_status(answered, waiting, None, NOW)
    assert describe_status(status) == ("working", "Bash npm test", "hooks")
    assert status.recheck_at == pytest.approx(NOW - 0.1 + GRACE)
    still = decide_status(answered, waiting, None, NOW + GRACE)
    assert describe_status(still) == ("needs_you", "permission Bash", "registry")


# --- a hook that still waits for an answer


@pytest.mark.parametrize("said", ["busy", "idle", "shell"])
def test_a_wait_with_a_waiting_hook_outweighs_an_older_registry_entry(said: str) -> None:
    """As in `claude -p`, which shows no dialog, and as with agents whose dialog comes later."""
    waits = make_hooks("tool", NOW - 20, waits=(make_ask(NOW - 10),))
    before = make_registry(said, NOW - 30)
    assert decide_status(waits, before, None, NOW).waits == ()
    status = decide_status(waits, before, None, NOW, asking=frozenset({"|Bash"}))
    assert [wait.key for wait in status.waits] == ["|Bash"]
    assert status.state is State.NEEDS_YOU
    assert decide_status(waits, before, None, NOW, asking=frozenset({"a1|Bash"})).waits == ()
    two = make_hooks("tool", NOW - 20, waits=(make_ask(NOW - 10), make_ask(NOW - 9, "a1")))
    assert len(decide_status(two, before, None, NOW, asking=frozenset({"a1|Bash"})).waits) == 2


@pytest.mark.parametrize("said", ["busy", "idle"])
def test_a_later_registry_change_means_that_the_wait_was_answered(said: str) -> None:
    waits = make_hooks("tool", NOW - 20, waits=(make_ask(NOW - 10),))
    after = make_registry(said, NOW - 5)
    assert decide_status(waits, after, None, NOW, asking=frozenset({"|Bash"})).waits == ()


def test_a_lead_is_idle_while_its_teammates_run_in_panes_of_their_own() -> None:
    team = BackgroundTasks(at=NOW - 20, tasks=(BackgroundTask(id="t", type="teammate", status="running"),))
    busy = make_registry("busy", NOW - 60)  # since the team was started
    lead = make_hooks("finished", NOW - 20, background=team)
    assert describe_status(decide_status(lead, busy, None, NOW))[0] == "idle"
    assert describe_status(decide_status(make_hooks("finished", NOW - 20), busy, None, NOW))[0] == "working"
    begun = make_registry("busy", NOW - 10)
    assert describe_status(decide_status(lead, begun, None, NOW))[0] == "working"
