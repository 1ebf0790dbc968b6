"""Risks are found in parallel with the refresh; until they are known, allowing needs a confirmation."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence

import pytest

from atm_tui.config import Config
from atm_tui.model.request import Request
from atm_tui.monitor.risk_checker import FAILED, PENDING, RiskChecker, Risks, make_check
from tests.support.waiting import PATIENCE

SAFE = Risks((), ((), ()))


class SlowCheck:
    """A check that takes as long as the test wants, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Request, Sequence[str]]] = []
        self.goes_on = threading.Event()
        self.result = SAFE

    def __call__(self, asked: Request, roots: Sequence[str]) -> Risks:
        self.asked.append((asked, roots))
        assert self.goes_on.wait(PATIENCE)
        return self.result


@pytest.fixture
def slow() -> Iterator[SlowCheck]:
    found = SlowCheck()
    yield found
    found.goes_on.set()


def make_bash_request(command: str = "npm test", nonce: str = "a" * 32) -> Request:
    return Request(
        nonce=nonce,
        session_id="s",
        key="k",
        digest="0" * 64,
        at=0.0,
        until=600.0,
        tool="Bash",
        input={"command": command},
        suggestions=({"type": "x"}, {"type": "y"}),
    )


def wait_for_risks(checker: RiskChecker, wanted: Mapping[str, tuple[Request, Sequence[str]]]) -> dict[str, Risks]:
    """The risks once none of them is pending."""
    end = time.monotonic() + PATIENCE
    while True:
        found = checker.check(wanted)
        if all(risks.request != (PENDING,) for risks in found.values()):
            return found
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_slow_check_is_pending_and_reports_when_it_is_done(slow: SlowCheck) -> None:
    reported = threading.Event()
    checker = RiskChecker(slow, reported.set)
    wanted = {"a": (make_bash_request(), ("/shop",))}
    assert checker.check(wanted) == {"a": Risks((PENDING,), ((PENDING,), (PENDING,)))}
    assert not reported.is_set()
    slow.goes_on.set()
    assert reported.wait(PATIENCE)
    assert checker.check(wanted) == {"a": SAFE}
    assert len(slow.asked) == 1


def test_the_result_of_a_quick_check_is_known_soon() -> None:
    checker = RiskChecker(lambda *_: SAFE, lambda: None)
    assert wait_for_risks(checker, {"a": (make_bash_request(), ())}) == {"a": SAFE}


def test_without_a_thread_the_result_is_known_when_check_returns() -> None:
    checker = RiskChecker(lambda *_: SAFE)
    assert checker.check({"a": (make_bash_request(), ())}) == {"a": SAFE}


def test_a_changed_request_and_a_changed_project_are_checked_again(slow: SlowCheck) -> None:
    slow.goes_on.set()
    checker = RiskChecker(slow)
    checker.check({"a": (make_bash_request(), ())})
    checker.check({"a": (make_bash_request(), ())})
    checker.check({"a": (make_bash_request("rm -r build"), ())})
    checker.check({"a": (make_bash_request("rm -r build"), ("/shop",))})
    assert [(asked.input["command"], roots) for asked, roots in slow.asked] == [
        ("npm test", ()),
        ("rm -r build", ()),
        ("rm -r build", ("/shop",)),
    ]


def test_a_request_that_is_gone_is_no_longer_checked(slow: SlowCheck) -> None:
    checker = RiskChecker(slow, lambda: None)
    first, second, third = (make_bash_request(nonce=each * 32) for each in "abc")
    checker.check({"a": (first, ()), "b": (second, ())})
    assert list(checker.check({"a": (first, ()), "c": (third, ())})) == ["a", "c"]
    slow.goes_on.set()
    assert wait_for_risks(checker, {"a": (first, ()), "c": (third, ())}) == {"a": SAFE, "c": SAFE}
    assert [asked.nonce for asked, _ in slow.asked] == [first.nonce, third.nonce]


def test_a_check_that_fails_asks_twice() -> None:
    def fail(*_: object) -> Risks:
        raise ValueError

    for report in (None, lambda: None):
        found = wait_for_risks(RiskChecker(fail, report), {"a": (make_bash_request(), ())})
        assert found == {"a": Risks((FAILED,), ((FAILED,), (FAILED,)))}


def test_a_slow_user_pattern_is_pending_until_it_times_out() -> None:
    reported = threading.Event()
    checker = RiskChecker(make_check(Config(dangers=("(a|a)+$",)).build_danger_rules()), reported.set)
    wanted = {"a": (make_bash_request("a" * 60 + "!"), ())}
    assert checker.check(wanted)["a"].request == (PENDING,)
    assert checker.check(wanted)["a"].request == (PENDING,)
    assert reported.wait(PATIENCE)
    assert "(a|a)+$" in checker.check(wanted)["a"].request[0]
