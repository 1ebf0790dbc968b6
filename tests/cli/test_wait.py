"""`atm-tui wait`: its exit codes, and sessions that end before, while and after it waits."""

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable

import pytest

from atm_tui.cli import wait
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.parser import Parser
from atm_tui.config import Config
from atm_tui.model.goal import Goal
from atm_tui.monitor.live import LiveMonitor
from tests.support.command_home import Home
from tests.support.waiting import PATIENCE

BEFORE = ["idle", "working", "needs_you", "ended"]


def set_state(home: Home, state: str, session_id: str = "s1") -> None:
    """Records what a session does until it is in a state."""
    home.record(session_id, "SessionStart", source="startup")
    if state in ("working", "needs_you"):
        home.record(session_id, "UserPromptSubmit", prompt="go", prompt_id="p1")
    if state == "needs_you":
        home.record(session_id, "PermissionRequest", tool_name="Bash", tool_input={"command": "ls"}, prompt_id="p1")
    if state == "ended":
        home.record(session_id, "SessionEnd", reason="logout")


@pytest.mark.parametrize("state", BEFORE)
@pytest.mark.parametrize("goal", ["needs_you", "idle", "ended"])
def test_a_goal_that_holds_already_counts(home: Home, state: str, goal: str) -> None:
    set_state(home, state)
    done = home.run("wait", "s1", "--for", goal, "--timeout", "0")
    if goal == state or (goal, state) == ("idle", "ended"):
        assert (done.code, done.out, done.err) == (ExitCode.DONE, "s1\n", "")
    elif (goal, state) == ("needs_you", "ended"):
        assert (done.code, done.out) == (ExitCode.SESSION_ENDED, "")
        assert done.err == "atm-tui: ended, so it can't need you any more: s1.\n"
    else:
        assert (done.code, done.out) == (ExitCode.TIMED_OUT, "")
        assert "the time is over: none of them " in done.err


def run_while(
    home: Home, monkeypatch: pytest.MonkeyPatch, words: list[str], *meanwhile: Callable[[], None]
) -> ExitCode | int:
    """Runs the command in this process; each of `meanwhile` happens between two hints."""

    async def watch(self: LiveMonitor, _: object) -> AsyncIterator[None]:
        yield
        for act in meanwhile:
            act()
            yield

    monkeypatch.setattr(LiveMonitor, "watch", watch)
    parser = Parser()
    wait.add_wait_arguments(parser)
    monitor = LiveMonitor(home.state, [home.folder / ".claude"], Config())
    try:
        return wait.run_wait(parser.parse_args(words), monitor)
    except CommandError as error:
        return error.code


def finish_turn(home: Home) -> None:
    home.record("s1", "Stop", prompt_id="p1")


def end_session(home: Home) -> None:
    home.record("s1", "SessionEnd", reason="logout")


def test_a_session_that_ends_while_it_waits(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_state(home, "working")

    def finish_and_end() -> None:
        finish_turn(home)
        end_session(home)

    cases = {
        "idle": ([finish_and_end], ExitCode.DONE),
        "ended": ([lambda: finish_turn(home), lambda: end_session(home)], ExitCode.DONE),
        "needs_you": ([lambda: finish_turn(home), lambda: end_session(home)], ExitCode.SESSION_ENDED),
    }
    for goal, (meanwhile, code) in cases.items():
        set_state(home, "working")
        assert run_while(home, monkeypatch, ["s1", "--for", goal], *meanwhile) == code, goal
        assert capsys.readouterr().out == ("s1\n" if code is ExitCode.DONE else ""), goal


ASK = ("PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt_id": "p1"})
RAN = ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "prompt_id": "p1"})
END = ("SessionEnd", {"reason": "logout"})
PROMPT = ("UserPromptSubmit", {"prompt": "again", "prompt_id": "p2"})
PASSING = {
    "a request that was answered": (Goal.NEEDS_YOU, 0.6, [ASK, RAN], ExitCode.DONE),
    "a request that a rule answered": (Goal.NEEDS_YOU, 0.1, [ASK, RAN], ExitCode.TIMED_OUT),
    "a request that ended with the session": (Goal.NEEDS_YOU, 0.6, [ASK, END], ExitCode.DONE),
    "a failed turn": (Goal.NEEDS_YOU, 0.1, [("StopFailure", {"error": "overloaded"}), PROMPT], ExitCode.DONE),
    "a finished turn": (Goal.NEEDS_YOU, 0.1, [("Stop", {"prompt_id": "p1"}), PROMPT], ExitCode.TIMED_OUT),
    "an end": (Goal.ENDED, 0.1, [END, ("SessionStart", {"source": "resume"})], ExitCode.DONE),
}


@pytest.mark.parametrize("case", PASSING)
def test_what_came_and_went_between_two_refreshes_counts(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    goal, pause, events, code = PASSING[case]

    def happen() -> None:
        for number, (kind, fields) in enumerate(events):
            home.record("s1", kind, later=number * pause, **fields)

    def give_up() -> None:
        raise CommandError("over", ExitCode.TIMED_OUT)

    set_state(home, "needs_you")
    home.record("s1", "Stop", prompt_id="p1")  # it needed you before the wait, which does not count
    set_state(home, "working")
    assert run_while(home, monkeypatch, ["s1", "--for", goal], happen, give_up) == code
    assert capsys.readouterr().out == ("s1\n" if code is ExitCode.DONE else "")


def test_changes_after_the_goal_make_no_difference(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    set_state(home, "working")
    ended = []
    code = run_while(
        home,
        monkeypatch,
        ["s1", "--for", "idle"],
        lambda: finish_turn(home),
        lambda: ended.append(True),
    )
    assert code == ExitCode.DONE
    assert ended == []


def test_with_all_it_waits_for_the_last_session(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for session_id in ("s1", "t2"):
        set_state(home, "working", session_id)
    ends = [lambda: end_session(home), lambda: home.record("t2", "Stop", prompt_id="p1")]
    assert run_while(home, monkeypatch, ["--all", "--for", "idle"], *ends) == ExitCode.DONE
    assert capsys.readouterr().out == "s1\nt2\n"


def test_the_command_ends_soon_after_the_session_reaches_the_goal(home: Home) -> None:
    set_state(home, "working")
    process = subprocess.Popen(
        [sys.executable, "-m", "atm_tui", "wait", "s1", "--for", "ended"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env=home.environ,
        cwd=home.folder,
    )
    try:
        time.sleep(0.2)  # it ends as well if it has not begun to wait by then
        end_session(home)
        assert process.communicate(timeout=PATIENCE)[0] == "s1\n"
        assert process.returncode == ExitCode.DONE
    finally:
        process.kill()
        process.wait()


def test_the_goal_must_be_given(home: Home) -> None:
    done = home.run("wait", "s1")
    assert done.code == ExitCode.USAGE
    assert "--for" in done.err
