"""Answers that come over a stream, at the desk that takes them: real hooks wait, and all that is no person's yes is tried."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answers
from atm_hooks.lease import LEASE_SECONDS
from atm_tui.config import Config
from atm_tui.model.caller import Ancestor
from atm_tui.model.facts import ProcessFact
from atm_tui.model.request import AnswerOutcome, Arming, Decision
from atm_tui.model.stream_answers import AskedRequest
from atm_tui.monitor import caller
from atm_tui.monitor.answer_desk import LINK_LOST, AnswerDesk
from atm_tui.sources.request_digest import digest_request
from tests.support.answering import WaitingHook, read_answer_log
from tests.support.answers_on_disk import AnswerHarness, make_armed, run_client
from tests.support.effort import mark_long
from tests.support.waiting import wait_until

ALLOW, DENY = Decision(kind="allow"), Decision(kind="deny", message="no")
OPEN = Config(remote_answers=True)


class Desk:
    """A desk in a machine's stream, with a clock that a test moves."""

    def __init__(self, harness: AnswerHarness, config: Config = OPEN, *, joins: bool = False) -> None:
        self.harness = harness
        self.monitor = harness.make_monitor(config)
        self.monitor.refresh()
        self.later = 0.0
        clocks: list[Callable[[], float]] = [time.monotonic, lambda: time.monotonic() + self.later]
        self.desk = AnswerDesk(self.monitor, clocks=clocks)
        self.lease = (self.desk.join() if joins else self.desk.arm(takes_over=False)).lease

    def look(self, *known: str) -> list[AskedRequest]:
        self.monitor.refresh()
        return list(self.desk.list_requests(self.lease, known).asked)

    def find(self, hook: WaitingHook) -> AskedRequest:
        """Returns what is sent of a hook's request."""

        def find() -> AskedRequest | None:
            return next((each for each in self.look() if each.request.nonce == hook.nonce), None)

        wait_until(find, "the request")
        found = find()
        assert found is not None
        return found

    def answer(self, asked: AskedRequest, decision: Decision = ALLOW, **changed: str) -> AnswerOutcome:
        fields: dict[str, Any] = {
            "lease": self.lease,
            "nonce": asked.request.nonce,
            "seal": asked.seal,
            "shown": digest_request(asked.request),
            **changed,
        }
        return self.desk.answer(**fields, decision=decision)


@pytest.fixture
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnswerHarness]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with run_client() as process:
        yield AnswerHarness(tmp_path, process.pid)


def is_leased(harness: AnswerHarness) -> bool:
    return answers.find_lease(str(harness.sandbox.root), time.time()) is not None


def test_only_the_answer_to_exactly_this_request_counts(harness: AnswerHarness) -> None:
    desk = Desk(harness)
    with harness.open_request() as first, harness.open_request(given={"command": "npm run lint"}) as second:
        one, other = desk.find(first), desk.find(second)
        assert desk.look(first.nonce, second.nonce) == []  # what is known is not sent again
        secret = first.request["secret"]
        assert secret not in str(one)
        for changed in (
            {"seal": other.seal},
            {"seal": "0" * 64},
            {"shown": digest_request(other.request)},
            {"nonce": second.nonce},
        ):
            assert desk.answer(one, **changed) is AnswerOutcome.VOID, changed
        for gone in ({"lease": answers.make_id()}, {"lease": ""}, {"nonce": answers.make_id()}, {"nonce": "../../x"}):
            assert desk.answer(one, **gone) is AnswerOutcome.GONE, gone
        for wrong in (Decision(kind="approve"), Decision(kind="always", suggestions=(7,)), Decision(kind="answer")):
            assert desk.answer(one, wrong) is AnswerOutcome.VOID, wrong
        assert first.process.poll() is None
        assert read_answer_log(harness.sandbox) == []
        assert desk.answer(one) is AnswerOutcome.GIVEN
        assert first.decision() == {"behavior": "allow"}
        # replayed
        assert desk.answer(one) is AnswerOutcome.ELSEWHERE
        # its file is another one than was sent
        path = harness.sandbox.root / "answers" / "requests" / f"{second.nonce}.json"
        path.write_bytes(path.read_bytes().replace(b"npm run lint", b"npm run evil"))
        assert desk.answer(other) is AnswerOutcome.VOID
        assert second.process.poll() is None
    assert [(each["by"], each["outcome"]) for each in read_answer_log(harness.sandbox)] == [("stream", "given")]


@pytest.mark.parametrize("moves", mark_long(("forward", "back"), short=("forward",)))
def test_after_a_silence_nothing_counts_that_was_sent_before(harness: AnswerHarness, moves: str) -> None:
    """As when the link hung, or the machine slept: what then comes was sent before."""
    desk = Desk(harness)
    with harness.open_request() as hook:
        asked = desk.find(hook)
        desk.later = (LINK_LOST + 1.0) * (1 if moves == "forward" else -1)
        assert desk.desk.list_requests(desk.lease, ()).lease == ""  # a question that was sent before the silence
        assert desk.answer(asked) is AnswerOutcome.GONE
        assert not is_leased(harness)
        assert hook.end() == b""
    # a lease that is taken anew opens only what is asked anew
    desk.lease = desk.desk.arm(takes_over=False).lease
    assert desk.lease
    assert desk.look() == []
    assert desk.answer(asked) is AnswerOutcome.GONE
    desk.desk.close()
    assert not is_leased(harness)


def test_the_lease_ends_without_questions(harness: AnswerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atm_tui.monitor.answer_desk.LINK_LOST", 0.3)
    monkeypatch.setattr("atm_tui.monitor.lease_keeper.BEAT", 0.05)
    desk = Desk(harness)
    assert is_leased(harness)
    wait_until(lambda: not (harness.sandbox.root / "answers" / "lease").exists(), "the end of the lease", LEASE_SECONDS)
    assert desk.look() == []


def test_another_app_there_is_not_robbed_by_a_link_that_comes_back(harness: AnswerHarness) -> None:
    desk = Desk(harness)
    mine = harness.make_monitor()
    mine.refresh()
    assert mine.arm(True) is None  # the person is there now
    with harness.open_request() as hook:
        wait_until(lambda: mine.refresh() or mine.fleet.requests, "the request")
        assert desk.look() == []
        back = desk.desk.arm(takes_over=False)
        assert (back.state, back.lease) == (Arming.ELSEWHERE, "")
        desk.desk.disarm(desk.lease)
        desk.desk.close()
        assert is_leased(harness)
        assert hook.process.poll() is None
        assert desk.desk.arm(takes_over=True).lease
    desk.desk.close()
    mine.arm(False)


@pytest.mark.parametrize(
    ("config", "installed", "state", "words"),
    [
        (Config(), True, Arming.NOT_ALLOWED, "remote_answers = true"),
        (Config(remote_answers=True, read_only=True), True, Arming.READ_ONLY, "read-only there"),
        (OPEN, False, Arming.NOT_INSTALLED, "atm-tui install --answers` there"),
    ],
)
def test_a_machine_that_has_not_opted_in_is_never_armed(
    harness: AnswerHarness, config: Config, installed: bool, state: Arming, words: str
) -> None:
    harness.install(answers=installed)
    desk = Desk(harness, config)
    for result in (desk.desk.arm(takes_over=True), desk.desk.list_requests("", ())):
        assert (result.state, result.lease) == (state, "")
        assert words in result.problem
    assert not is_leased(harness)


def test_agents_are_refused_and_a_detached_process_gives_no_dangerous_yes(
    harness: AnswerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def see(*names: str, **variables: str) -> None:
        found = tuple(Ancestor(ProcessFact(pid=10 + at), name, ()) for at, name in enumerate(names))
        made = caller.Caller(variables=frozenset(variables), ancestors=found, has_terminal=False)
        monkeypatch.setattr(caller, "_read_caller", lambda: made)

    see("sh", "sshd")
    desk = Desk(harness)
    with harness.open_request(given={"command": "rm -rf src"}) as hook:
        asked = desk.find(hook)
        assert asked.dangers
        for above in (["init"], ["sh"], []):
            see(*above)
            assert desk.answer(asked) is AnswerOutcome.REFUSED
        see("sh", "claude", "sshd")
        assert desk.answer(asked, DENY) is AnswerOutcome.REFUSED
        see("sh", "sshd", CLAUDECODE="1")
        assert desk.answer(asked, DENY) is AnswerOutcome.REFUSED
        assert desk.desk.arm(takes_over=True).lease == ""
        assert not is_leased(harness)
        assert hook.end() == b""
    see("sh", "sshd-session")
    desk = Desk(harness)
    with harness.open_request(given={"command": "rm -rf src"}) as hook:
        assert desk.answer(desk.find(hook)) is AnswerOutcome.GIVEN
        assert hook.decision() == {"behavior": "allow"}
    assert {each["outcome"] for each in read_answer_log(harness.sandbox)} == {"given", "refused: only a person answers"}
    desk.desk.close()


def test_a_guest_answers_under_the_lease_of_an_app_here_which_keeps_it(harness: AnswerHarness) -> None:
    desk = Desk(harness, joins=True)
    assert desk.lease == ""  # nothing is armed
    app = make_armed(harness)
    assert Desk(harness, Config(), joins=True).lease == ""
    assert Desk(harness, Config(remote_answers=True, read_only=True), joins=True).lease == ""
    desk.lease = desk.desk.join().lease
    with harness.open_request() as hook:
        asked = desk.find(hook)
        assert desk.answer(asked, seal="0" * 64) is AnswerOutcome.VOID
        assert desk.answer(asked, lease=answers.make_id()) is AnswerOutcome.GONE
        assert hook.process.poll() is None
        assert desk.answer(asked) is AnswerOutcome.GIVEN
        assert hook.decision() == {"behavior": "allow"}
    desk.desk.disarm(desk.lease)
    desk.lease = desk.desk.join().lease
    desk.desk.close()
    assert app.approvals.renew()  # no end of a guest is one of the lease
    # what was shown to a guest counts no more after a silence, nor without the lease
    desk.lease = desk.desk.join().lease
    with harness.open_request() as hook:
        asked = desk.find(hook)
        desk.later += LINK_LOST + 1.0
        assert desk.answer(asked) is AnswerOutcome.GONE
        desk.lease = desk.desk.join().lease
        again = desk.find(hook)
        assert again.seal != asked.seal
        assert desk.answer(again, seal=asked.seal) is AnswerOutcome.VOID
        app.arm(False)
        assert desk.answer(again) is AnswerOutcome.GONE
        assert hook.end() == b""
    assert not is_leased(harness)
    assert [each["outcome"] for each in read_answer_log(harness.sandbox)] == ["given"]


def test_no_agent_joins(harness: AnswerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_armed(harness)
    made = caller.Caller(ancestors=(Ancestor(ProcessFact(pid=10), "claude", ()),))
    monkeypatch.setattr(caller, "_read_caller", lambda: made)
    desk = Desk(harness, joins=True)
    assert desk.lease == ""
    assert "only a person answers" in desk.desk.join().problem
    assert {each["outcome"] for each in read_answer_log(harness.sandbox)} == {"refused: only a person answers"}
    app.arm(False)
