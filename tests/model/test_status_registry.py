"""Hooks against the client's registry: which of them is newer, and what each of its words means."""

import pytest

from atm_tui.model.facts import (
    HookAgent,
)
from atm_tui.model.session import State
from atm_tui.model.status import BLIP, GRACE, SETTLE, decide_status
from atm_tui.model.transcript import TranscriptFacts
from atm_tui.model.wait import Reason
from tests.support.status_facts import NOW, describe_status, make_ask, make_hooks, make_registry

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
