"""Attempts of agents: refused, logged, and described to the person for an hour. The log is the real file."""

import os
from pathlib import Path

import pytest

from atm_hooks import answer_log
from atm_hooks.private import make_folder
from atm_tui.cost.pricing import load_default_table
from atm_tui.model.caller import NO_TERMINAL, Refusal
from atm_tui.model.session import Session
from atm_tui.monitor.caller import CallerCheck, describe_refusal
from atm_tui.monitor.reading import FactReader
from atm_tui.monitor.refused_attempts import RefusedAttempts

NOW = 1_000_000.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    make_folder(str(folder))
    return folder


@pytest.fixture
def check(root: Path) -> CallerCheck:
    return CallerCheck(root, FactReader(root, [], load_default_table()), lambda: NOW)


@pytest.fixture
def attempts(root: Path) -> RefusedAttempts:
    return RefusedAttempts(root, lambda: NOW)


def log(root: Path, *attempts: tuple[float, str]) -> None:
    for at, session_id in attempts:
        answer_log.append_line(str(root), answer_log.make_refusal(at, session_id, "answer", "CLAUDECODE"))


def test_an_answer_by_the_user_is_not_logged_as_an_attempt(
    root: Path, check: CallerCheck, attempts: RefusedAttempts
) -> None:
    assert check.refuse("answer") is None
    assert check.refuse("arm") is None
    assert answer_log.read_lines(str(root)) == []
    assert attempts.describe({}) is None


def test_an_attempt_is_logged_and_described(
    root: Path, check: CallerCheck, attempts: RefusedAttempts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "")
    assert "CLAUDECODE is set here" in (check.refuse("arm") or "")
    [line] = answer_log.read_lines(str(root))
    assert line == {
        "at": NOW,
        "session_id": "",
        "attempt": "arm",
        "sign": "CLAUDECODE",
        "outcome": "refused: only a person answers",
    }
    assert (attempts.describe({}) or "").startswith("Refused: an agent, or a command without a terminal, tried")


@pytest.mark.parametrize("pid", ["", "x", "-1", "9" * 400, "²"])
def test_an_unknown_pid_is_still_refused(check: CallerCheck, monkeypatch: pytest.MonkeyPatch, pid: str) -> None:
    monkeypatch.setenv("CLAUDE_PID", pid)
    assert "CLAUDE_PID is set here" in (check.refuse("answer") or "")


def test_an_attempt_is_refused_even_if_it_cannot_be_logged(
    root: Path, check: CallerCheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    (root / "answers").rmdir()
    root.rmdir()
    assert check.refuse("answer")


def test_a_dangerous_request_needs_a_terminal(check: CallerCheck, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atm_tui.sources.caller.has_controlling_terminal", lambda: False)
    assert check.refuse("answer") is None
    assert "takes a person at a terminal" in (check.refuse("answer", asks_twice=True) or "")
    monkeypatch.setattr("atm_tui.sources.caller.has_controlling_terminal", lambda: True)
    assert check.refuse("answer", asks_twice=True) is None


def test_attempts_are_described_for_an_hour_and_the_last_one_by_its_name(root: Path, attempts: RefusedAttempts) -> None:
    log(root, (NOW - 4000, "old"), (NOW - 200, "abcdefghijk"), (NOW - 100, "s1"))
    text = attempts.describe({"s1": Session(session_id="s1", name="shop")}) or ""
    assert text.startswith("Refused: an agent of shop tried to answer for you 2 times, last at ")
    assert text.endswith("`atm-tui answers` lists it.")
    log(root, (NOW - 50, "abcdefghijk"))
    assert "an agent of abcdefgh tried to answer for you 3 times" in (attempts.describe({}) or "")
    (root / "answers" / "log.jsonl").unlink()
    assert attempts.describe({}) is None


def test_lines_that_are_not_attempts_are_skipped(root: Path, attempts: RefusedAttempts) -> None:
    path = root / "answers" / "log.jsonl"
    log(root, (NOW - 10, "s1"))
    given = path.read_text()
    broken = [
        given.replace('"s1"', "7"),
        given.replace(str(NOW - 10), "true"),
        given.replace(str(NOW - 10), '"now"'),
        given.replace(str(NOW - 10), "9" * 400),
        given.replace(str(NOW - 10), "1e300"),
        given.replace(str(NOW - 10), str(NOW + 10)),
        given.replace("refused", "given"),
        "not json\n",
    ]
    path.write_text("".join(broken))
    assert attempts.describe({}) is None


def test_an_old_log_is_not_read(root: Path, attempts: RefusedAttempts) -> None:
    log(root, (NOW - 10, "s1"))
    os.utime(root / "answers" / "log.jsonl", (NOW, NOW))
    assert attempts.describe({}) is None


def test_a_refusal_gives_the_reason_and_the_next_step() -> None:
    advice = "If you are a person, use a terminal that no agent started"
    client = "only a person answers, and Claude Code of session 01234567 started this (process 30)"
    assert describe_refusal(Refusal("client 30", "0123456789")) == f"{client}. {advice}."
    variable = "only a person answers, and CLAUDECODE is set here, as in all that Claude Code starts"
    assert describe_refusal(Refusal("CLAUDECODE")) == f"{variable}. {advice} (in tmux: whose server no agent started)."
    nobody = "a yes to what looks dangerous takes a person at a terminal, and this process has none. Answer it in one."
    assert describe_refusal(Refusal(NO_TERMINAL)) == nobody
