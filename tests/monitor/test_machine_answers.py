"""Requests that another machine sends: what is shown, and what is never sent there, however mad the machine is."""

import contextlib
import time
from typing import Any

import msgspec
import pytest

from atm_hooks.answers import digest_input, make_id
from atm_tui.config import Config
from atm_tui.model.host import Host
from atm_tui.model.request import AnswerOutcome, Arming, Decision, Request
from atm_tui.model.stream_answers import AnswersResult, AskedRequest, OutcomeResult
from atm_tui.monitor import answers_elsewhere, machine_answers, risk_checker
from atm_tui.monitor.answers_elsewhere import AnswersElsewhere
from atm_tui.monitor.asking import AskError, DeclinedError, NotAskedError
from atm_tui.monitor.machine_answers import MachineAnswers
from atm_tui.monitor.risk_checker import PENDING
from atm_tui.sources.request_digest import digest_request
from tests.support.waiting import PATIENCE, wait_until

ALLOW = Decision(kind="allow")
LEASE, OTHER = make_id(), make_id()
NOW = 1_790_000_000.0


def make_asked(command: str = "npm test", nonce: str = "", seal: str = "", **fields: Any) -> AskedRequest:
    given = {"command": command, **fields.pop("input", {})}
    known: dict[str, Any] = {
        "session_id": "s1",
        "key": "|Bash|0",
        "tool": "Bash",
        "at": NOW,
        "until": NOW + 600,
        **fields,
    }
    digest = known.pop("digest", digest_input(given))
    request = Request(nonce=nonce or make_id(), digest=digest, input=given, **known)
    return AskedRequest(request=request, seal=seal or make_id(64))


class FakeMachine:
    """A link whose machine replies what a test says, and keeps what was sent to it."""

    def __init__(self, name: str = "gpu") -> None:
        self.name = name
        self.host = Host(ssh=name, answers=name == "gpu")
        self.is_live = True
        self.ahead = 3600.0
        self.asker = self
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.replies: dict[str, Any] = {
            "arm": AnswersResult(state=Arming.ON, lease=LEASE),
            "requests": AnswersResult(state=Arming.ON, lease=LEASE),
            "answer": OutcomeResult(outcome=AnswerOutcome.GIVEN),
            "disarm": AnswersResult(),
        }

    def ask(self, command: str, kind: type[Any], patience: float, **fields: Any) -> Any:
        self.sent.append((command, fields))
        reply = self.replies[command]
        if isinstance(reply, Exception):
            raise reply
        assert isinstance(reply, kind)
        return reply

    def offer(self, *asked: AskedRequest, still: tuple[str, ...] | None = None) -> None:
        nonces = tuple(each.request.nonce for each in asked) if still is None else still
        self.replies["requests"] = AnswersResult(state=Arming.ON, lease=LEASE, open=nonces, asked=asked)

    def count(self, command: str) -> int:
        return sum(name == command for name, _ in self.sent)


class Armed:
    """What the app has of a machine, armed, without its thread: each `step` is one second."""

    def __init__(self, machine: FakeMachine | None = None, *, joins: bool = False) -> None:
        """`joins`: as a command does, which takes no lease."""
        self.machine = machine or FakeMachine()
        self.answers = MachineAnswers(self.machine, lambda: NOW, lambda: None)  # type: ignore[arg-type]
        if joins:
            self.machine.replies["join"] = AnswersResult(state=Arming.ELSEWHERE, lease=LEASE)
            self.answers.join()
        else:
            self.answers.want(True)
        self.step()

    def step(self) -> None:
        self.answers._step()

    def offer(self, *asked: AskedRequest, **fields: Any) -> list[Request]:
        self.machine.offer(*asked, **fields)
        self.step()
        return [each.request for each in self.answers.list_requests()]


def test_a_request_is_shown_and_answered_with_its_own_nonce_seal_and_digest() -> None:
    armed = Armed()
    asked = make_asked()
    [request] = armed.offer(asked)
    assert (request.machine, request.session_id) == ("gpu", "gpu:s1")
    assert request.at == NOW - 3600  # by our clock
    assert request.transcript_path == ""
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.GIVEN
    command, fields = armed.machine.sent[-1]
    assert command == "answer"
    assert fields == {
        "lease": LEASE,
        "nonce": asked.request.nonce,
        "seal": asked.seal,
        "shown": digest_request(asked.request),
        "decision": ALLOW,
    }
    # once is enough: neither again, nor when the machine sends it anew
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.GONE
    assert armed.offer(still=()) == []
    assert armed.offer(asked) == []
    assert armed.machine.count("answer") == 1


def test_a_text_that_is_swapped_under_the_same_nonce_or_seal_is_void() -> None:
    armed = Armed()
    asked = make_asked("ls")
    [shown] = armed.offer(asked)
    swapped = make_asked("rm -rf /", asked.request.nonce, asked.seal)
    assert armed.offer(swapped) == []
    assert "changed a request after it was shown" in armed.answers.state[1]
    assert armed.answers.answer(shown, ALLOW) is AnswerOutcome.GONE
    assert armed.offer(asked) == []  # not even as it was

    armed = Armed()
    [shown] = armed.offer(asked)
    assert armed.offer(asked, make_asked("rm -rf /", seal=asked.seal)) == []
    assert armed.answers.answer(shown, ALLOW) is AnswerOutcome.GONE

    # settled, and asked again as something else
    armed = Armed()
    armed.offer(asked)
    assert armed.offer(still=()) == []
    assert armed.offer(swapped) == []

    # a plan whose text changes
    plan = msgspec.structs.replace(make_asked(), plan="first")
    armed = Armed()
    armed.offer(plan)
    assert armed.offer(msgspec.structs.replace(plan, plan="second")) == []
    assert armed.machine.count("answer") == 0


def test_no_machine_speaks_for_another_one() -> None:
    nonce = make_id()
    gpu, box = Armed(), Armed(FakeMachine("box"))
    [mine] = gpu.offer(make_asked("ls", nonce))
    [theirs] = box.offer(make_asked("rm -rf /", nonce))  # the nonce of another machine's request
    assert mine.nonce != theirs.nonce
    assert box.answers.answer(mine, ALLOW) is AnswerOutcome.VOID
    assert box.machine.count("answer") == 0
    for session in ("gpu:s1", "../s1", "", "s1\n", "a" * 200):
        assert box.offer(make_asked(session_id=session)) == []


DEEP: dict[str, Any] = {}
for _ in range(60):
    DEEP = {"x": DEEP}


@pytest.mark.parametrize(
    "asked",
    [
        make_asked(digest="0" * 64),
        make_asked(nonce="x" * 32),
        make_asked(nonce="box:" + "0" * 28),
        make_asked(seal="0" * 32),
        make_asked(input=DEEP),
        make_asked(at=1e300),
        make_asked(tool="x" * 5000),
    ],
    ids=["digest", "nonce", "a name in the nonce", "seal", "depth", "time", "length"],
)
def test_a_damaged_request_is_not_shown(asked: AskedRequest) -> None:
    armed = Armed()
    good = make_asked()
    assert [each.session_id for each in armed.offer(asked, good)] == ["gpu:s1"]
    assert armed.answers.list_requests()[0].asked == good


def test_nothing_is_sent_without_a_link_or_lease() -> None:
    armed = Armed()
    asked = make_asked()
    [request] = armed.offer(asked)
    armed.machine.is_live = False  # between showing and yes
    assert armed.answers.list_requests() == []
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.NOT_SENT
    armed.step()
    armed.machine.is_live = True
    assert armed.answers.list_requests() == []
    # the link is made anew, with a new lease: what was shown before counts no more
    armed.machine.replies["arm"] = AnswersResult(state=Arming.ON, lease=OTHER)
    armed.step()
    assert armed.machine.sent[-1] == ("arm", {"takes_over": False})
    armed.machine.replies["requests"] = AnswersResult(
        state=Arming.ON, lease=OTHER, open=(asked.request.nonce,), asked=(asked,)
    )
    armed.step()
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.VOID
    armed.answers.want(False)
    assert armed.answers.answer(armed.answers._adopt(asked), ALLOW) is AnswerOutcome.GONE
    armed.step()
    assert ("disarm", {"lease": OTHER}) in armed.machine.sent
    assert armed.machine.count("answer") == 0


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (NotAskedError("no link"), AnswerOutcome.NOT_SENT),
        (DeclinedError("no"), AnswerOutcome.VOID),
        (AskError("cut"), AnswerOutcome.UNKNOWN),
        (OutcomeResult(outcome=AnswerOutcome.GONE), AnswerOutcome.GONE),
        (OutcomeResult(outcome=AnswerOutcome.REFUSED), AnswerOutcome.REFUSED_THERE),
    ],
)
def test_what_became_of_an_answer_is_known(error: object, outcome: AnswerOutcome) -> None:
    armed = Armed()
    [request] = armed.offer(make_asked())
    armed.machine.replies["answer"] = error
    assert armed.answers.answer(request, ALLOW) is outcome
    again = armed.answers.answer(request, ALLOW)
    assert (again is AnswerOutcome.GONE) is (outcome in (AnswerOutcome.UNKNOWN, AnswerOutcome.GONE))


def test_another_app_there_keeps_its_lease_until_the_person_arms_anew() -> None:
    machine = FakeMachine()
    armed = Armed(machine)
    assert machine.sent[0] == ("arm", {"takes_over": True})
    armed.offer(make_asked())
    taken = AnswersResult(state=Arming.ELSEWHERE, problem="Another atm-tui is armed there.")
    machine.replies |= {"requests": taken, "arm": taken}
    armed.step()
    for _ in range(3):
        armed.step()
    assert machine.count("arm") == 1
    assert armed.answers.list_requests() == []
    assert armed.answers.state[0] is Arming.ELSEWHERE
    armed.answers.want(True)
    armed.step()
    assert machine.sent[-1] == ("arm", {"takes_over": True})


def test_a_machine_that_sends_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_answers, "MOST_REQUESTS", 50)
    armed = Armed()
    for _ in range(6):
        armed.offer(*(make_asked() for _ in range(10)))
    assert armed.answers.list_requests() == []
    assert "more than" in armed.answers.state[1]
    armed.step()
    assert armed.machine.count("disarm") == 1


def test_what_looks_dangerous_here_asks_twice_whatever_the_machine_says() -> None:
    machine, silent = FakeMachine(), FakeMachine("box")
    elsewhere = AnswersElsewhere((machine, silent), lambda: NOW, lambda: None)  # type: ignore[arg-type, list-item]
    elsewhere.apply_config(Config(dangers=("deploy .*prod",)))
    assert not elsewhere.is_open
    [found] = elsewhere._machines.values()
    elsewhere.want(True)
    found._step()
    assert elsewhere.is_open
    asked = [make_asked("ls"), make_asked("rm -rf ~/x"), make_asked("./deploy to prod")]
    given = msgspec.structs.replace(asked[0], dangers=("is odd",), home="/home/user", roots=("/home/user/app",))
    machine.offer(given, *asked[1:])
    found._step()
    wait_until(lambda: elsewhere.list_requests() and PENDING not in str(elsewhere.dangers), "the checks")
    by_command = {each.input["command"]: elsewhere.dangers[each.nonce] for each in elsewhere.list_requests()}
    assert by_command["ls"] == ("is odd",)
    assert "deletes files" in by_command["rm -rf ~/x"]
    assert any("deploy .*prod" in each for each in by_command["./deploy to prod"])
    elsewhere.apply_config(Config(read_only=True))
    assert elsewhere.list_requests() == []
    assert elsewhere.answer(found._adopt(given), ALLOW) is AnswerOutcome.GONE


def test_a_command_takes_no_lease_and_its_person_may_think(monkeypatch: pytest.MonkeyPatch) -> None:
    armed = Armed(joins=True)
    asked = make_asked()
    [request] = armed.offer(asked)
    monkeypatch.setattr(machine_answers, "STUCK", -1.0)  # no event loop shows that it runs
    assert armed.offer(asked) == [request]
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.GIVEN
    assert {name for name, _ in armed.machine.sent} == {"join", "requests", "answer"}
    # swapped while it was thought about
    armed = Armed(joins=True)
    [request] = armed.offer(asked)
    assert armed.offer(make_asked("rm -rf /", asked.request.nonce, asked.seal)) == []
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.GONE
    assert armed.machine.count("answer") == 0


@pytest.mark.parametrize("is_slow", [False, True])
def test_a_command_waits_for_the_risks_but_not_for_those_of_a_mad_machine(
    monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    def make_check(*_: object, **__: object) -> risk_checker.Check:
        def check(request: Request, roots: object) -> risk_checker.Risks:
            time.sleep(0.02 if not is_slow else 0.3)
            return risk_checker.Risks(("is odd",), ())

        return check

    monkeypatch.setattr(risk_checker, "make_check", make_check)
    monkeypatch.setattr(risk_checker, "PATIENCE", 0.0)
    monkeypatch.setattr(answers_elsewhere, "LONGEST_CHECK", 0.05 if is_slow else PATIENCE)
    machine = FakeMachine()
    machine.replies["join"] = AnswersResult(state=Arming.ELSEWHERE, lease=LEASE)
    machine.offer(*(make_asked() for _ in range(10)))
    elsewhere = AnswersElsewhere((machine,), lambda: NOW, lambda: None)  # type: ignore[arg-type]
    elsewhere.join(PATIENCE)
    found = elsewhere.list_requests()
    elsewhere.stop()
    assert len(found) == 10
    assert elsewhere.dangers[found[-1].nonce] == ((PENDING,) if is_slow else ("is odd",))


def test_a_command_knows_all_that_is_open_once_nothing_more_comes() -> None:
    armed = Armed(joins=True)
    known = armed.answers._is_known
    one, other = make_asked("one"), make_asked("two")
    armed.offer(one)
    assert not known.is_set()
    armed.offer(other, still=(one.request.nonce, other.request.nonce))
    assert not known.is_set()
    armed.offer(other, still=(one.request.nonce, other.request.nonce))  # however often it sends the same
    assert known.is_set()
    assert len(armed.answers.list_requests()) == 2
    for reply in (AnswersResult(), NotAskedError("gpu takes no join: update it there")):
        machine = FakeMachine()
        refused = MachineAnswers(machine, lambda: NOW, lambda: None)  # type: ignore[arg-type]
        machine.replies["join"] = reply
        refused.join()
        with contextlib.suppress(NotAskedError):
            refused._step()
        assert refused.list_requests() == []
        assert machine.sent == [("join", {})]


@pytest.mark.parametrize("joins", [True, False])
def test_what_is_open_no_more_was_answered_elsewhere_unless_the_lease_has_ended(joins: bool) -> None:
    armed = Armed(joins=joins)
    [request] = armed.offer(make_asked(at=NOW + 3600, until=NOW + 4200))
    assert armed.offer(still=()) == []
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.ELSEWHERE
    late = msgspec.structs.replace(request, until=NOW - 1)
    assert armed.answers.answer(late, ALLOW) is AnswerOutcome.GONE
    foreign = msgspec.structs.replace(request, nonce=f"gpu:{OTHER[:8]}:{request.own_nonce}")
    assert armed.answers.answer(foreign, ALLOW) is AnswerOutcome.GONE
    armed.machine.replies["requests"] = AnswersResult(state=Arming.OFF)
    armed.step()
    assert armed.answers.answer(request, ALLOW) is AnswerOutcome.GONE
    assert armed.machine.count("answer") == 0
