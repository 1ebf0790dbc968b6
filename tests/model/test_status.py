"""Which source decides a status: without a registry, without hooks, with several waits or processes, and after an answer."""

import pytest

from atm_tui.model.facts import (
    BackgroundTask,
    BackgroundTasks,
    GivenAnswer,
    HookState,
    RegistryEntry,
)
from atm_tui.model.session import State
from atm_tui.model.status import GRACE, decide_status, find_deciding_entry
from atm_tui.model.transcript import Interruption, TranscriptFacts
from atm_tui.model.wait import Reason
from atm_tui.view.status_text import describe_activity
from tests.support.status_facts import NOW, describe_status, make_ask, make_hooks, make_registry

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
