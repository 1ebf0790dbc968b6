"""Answers beside real hook processes: each arrives, is refused or comes too late, and none is given twice."""

import errno
import signal
import time
from pathlib import Path

import msgspec
import pytest

from atm_hooks import answers
from atm_tui.config import Config
from atm_tui.model.request import AnswerOutcome, Decision
from tests.support.answering import ASKED, MODE, list_answered, list_leftovers, list_part, read_answer_log
from tests.support.answers_on_disk import AnswerHarness, get_only_request, list_requests, make_armed

ALLOW = Decision(kind="allow")


@pytest.mark.parametrize(
    ("tool", "given", "decision", "output"),
    [
        ("Bash", {"command": "npm test"}, ALLOW, {"behavior": "allow"}),
        ("Bash", {"command": "npm test"}, Decision(kind="deny"), {"behavior": "deny"}),
        (
            "Bash",
            {"command": "x"},
            Decision(kind="deny", message="not nöw"),
            {"behavior": "deny", "message": "not nöw"},
        ),
        (
            "Bash",
            {"command": "x"},
            Decision(kind="always", suggestions=(1,)),
            {"behavior": "allow", "updatedPermissions": [MODE]},
        ),
        (
            "AskUserQuestion",
            ASKED,
            Decision(kind="answer", answers={"Which colour?": "Red", "Which fruits?": ("Fig", "own words")}),
            {
                "behavior": "allow",
                "updatedInput": {**ASKED, "answers": {"Which colour?": "Red", "Which fruits?": "Fig, own words"}},
            },
        ),
        ("ExitPlanMode", {}, Decision(kind="approve"), {"behavior": "allow", "updatedInput": {}}),
    ],
)
def test_each_kind_of_answer_is_given(
    harness: AnswerHarness, tool: str, given: dict, decision: Decision, output: dict
) -> None:
    app = make_armed(harness)
    with harness.open_request(tool, given) as hook:
        request = get_only_request(app)
        assert app.answer(request, decision) is AnswerOutcome.GIVEN
        assert hook.decision() == output
    assert [(event["decision"], event["by"]) for event in list_answered(harness.sandbox)] == [(decision.kind, "app")]
    assert list_requests(app) == ()
    assert app.fleet.sessions["s1"].waits == ()
    assert list_leftovers(harness.sandbox) == []
    assert app.answer(request, ALLOW) is AnswerOutcome.ELSEWHERE


def test_a_subagents_requests_are_answered_in_any_order(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with (
        harness.open_request(agent_id="a1", agent_type="Explore") as one_hook,
        harness.open_request(agent_id="a2") as two_hook,
    ):
        first, second = list_requests(app)
        assert (first.agent_id, second.agent_id) == ("a1", "a2")
        assert app.answer(second, ALLOW) is AnswerOutcome.GIVEN
        assert list_requests(app) == (first,)
        assert app.answer(first, Decision(kind="deny", message="no")) is AnswerOutcome.GIVEN
        assert one_hook.decision() == {"behavior": "deny", "message": "no"}
        assert two_hook.decision() == {"behavior": "allow"}


def test_only_the_first_answer_counts(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        assert app.answer(request, Decision(kind="deny"), by="shell") is AnswerOutcome.GIVEN
        assert app.answer(request, ALLOW) is AnswerOutcome.ELSEWHERE
        assert hook.decision() == {"behavior": "deny"}
    assert [(line["by"], line["decision"], line["outcome"]) for line in read_answer_log(harness.sandbox)] == [
        ("shell", "deny", "given")
    ]


@pytest.mark.parametrize(
    "decision",
    [
        Decision(kind="approve"),
        Decision(kind="always", suggestions=(2,)),
        Decision(kind="always"),
        Decision(kind="answer", answers={"x": "y"}),
        Decision(kind="deny", message="x" * 2001),
        Decision(kind="deny", message="\ud800"),
        Decision(kind="allow everything"),
    ],
)
def test_an_invalid_answer_leaves_the_hook_waiting(harness: AnswerHarness, decision: Decision) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        assert app.answer(get_only_request(app), decision) is AnswerOutcome.VOID
        assert hook.process.poll() is None
        assert app.answer(get_only_request(app), ALLOW) is AnswerOutcome.GIVEN


@pytest.mark.parametrize("changed", [{"input": {"command": "npm publish"}}, {"tool": "Write"}, {"suggestions": [MODE]}])
def test_allowing_applies_only_to_the_request_that_was_shown(harness: AnswerHarness, changed: dict) -> None:
    """An edited request: the app has shown the one before, or shows the edited one; neither makes the hook say yes."""
    app = make_armed(harness)
    with harness.open_request() as hook:
        before = get_only_request(app)
        edited = {**hook.request, **changed}
        edited["digest"] = answers.digest_input(edited["input"])
        path = Path(answers.locate_request(str(harness.sandbox.root), hook.nonce))
        path.write_bytes(msgspec.json.encode(edited))
        assert app.answer(before, ALLOW) is AnswerOutcome.VOID
        (after,) = list_requests(app)
        assert after != before
        if "suggestions" in changed:
            assert app.answer(after, Decision(kind="always", suggestions=(1,))) is AnswerOutcome.VOID
        else:
            assert app.answer(after, ALLOW) is AnswerOutcome.VOID
        assert list_answered(harness.sandbox) == []
        assert hook.process.poll() is None


def test_an_answer_that_cannot_be_written_raises_and_leaves_nothing(
    harness: AnswerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        with monkeypatch.context() as patch:
            patch.setattr("atm_hooks.private.posix.write", raise_disk_full)
            with pytest.raises(OSError, match="No space"):
                app.answer(request, ALLOW)
        assert list_part(harness.sandbox, "verdicts") == []
        assert hook.process.poll() is None
        assert app.answer(request, ALLOW) is AnswerOutcome.GIVEN


def raise_disk_full(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_answering_is_refused_in_read_only_mode(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        assert harness.make_monitor(Config(read_only=True)).answer(request, ALLOW) is AnswerOutcome.VOID
        assert list_part(harness.sandbox, "verdicts") == []
        assert hook.process.poll() is None


def test_disarming_ends_the_hook_and_leaves_the_dialog(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        app.arm(False)
        assert hook.end() == b""
        app.refresh()
        assert app.fleet.requests == {}
        assert app.fleet.sessions["s1"].waits
        assert app.answer(request, ALLOW) is AnswerOutcome.GONE


def test_a_hook_that_missed_an_answer_never_gets_it_later(harness: AnswerHarness) -> None:
    app = make_armed(harness)
    with harness.open_request() as hook:
        request = get_only_request(app)
        hook.process.send_signal(signal.SIGSTOP)
        try:
            assert app.answer(request, ALLOW) is AnswerOutcome.GONE
        finally:
            hook.process.send_signal(signal.SIGCONT)
        assert list_part(harness.sandbox, "verdicts") == []
        app.note_alive()
        time.sleep(1.2)
        assert list_answered(harness.sandbox) == []
