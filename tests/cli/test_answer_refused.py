"""`atm-tui answer` accepts no answer from an agent: with real processes, a waiting hook and an open app."""

import os
import pty
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.support.answering import WaitingHook, list_part
from tests.support.answers_on_disk import AnswerHarness, make_armed, run_client
from tests.support.callers import AS_PERSON, StandIns, make_terminal_command
from tests.support.command_home import Home
from tests.support.forked import CommandResult
from tests.support.waiting import wait_until

PRODUCT = (sys.executable, "-m", "atm_tui")
HARMLESS = {"command": "npm test"}
DANGEROUS = {"command": "rm -rf src"}
YES = ("answer", "--allow", "--yes", "--yes")


class RefusalHarness:
    """A person's armed app, and a request of another session that an agent wants to answer."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.pid = pid
        self.harness = AnswerHarness(folder, pid)
        self.home = Home(folder)
        self.home.environ["CLAUDE_CONFIG_DIR"] = str(self.harness.config_dir)
        self.stand_ins = StandIns(folder / "programs")
        self.app = make_armed(self.harness)

    def run(self, *words: str, **environ: str) -> CommandResult:
        self.app.note_alive()
        return self.home.start(words, **environ)

    def check_refused(self, hook: WaitingHook, sign: str, session_id: str = "") -> None:
        """The request is open, the attempt is in the log, and the open app shows it."""
        assert list_part(self.harness.sandbox, "verdicts") == []
        assert hook.process.poll() is None
        lines = self.home.run("answers").out.splitlines()
        assert "tried to answer for you" in lines[-1]
        assert f"({sign}" in lines[-1]
        assert (session_id or "unknown") in lines[-1]
        self.app.note_alive()
        self.app.refresh()
        notice = self.app.fleet.health.notices[0]
        assert notice.startswith(f"Refused: an agent{f' of {session_id}' if session_id else ''}")
        assert "tried to answer for you" in notice


@pytest.fixture
def refusal(tmp_path: Path) -> Iterator[RefusalHarness]:
    with run_client() as process:
        yield RefusalHarness(tmp_path, process.pid)


@pytest.mark.parametrize(
    ("words", "environ"),
    [
        (YES, {"CLAUDECODE": "1"}),
        (("answer", "s1", "--allow", "--yes"), {"CLAUDECODE": ""}),
        (("answer", "--deny", "no", "--yes"), {"CLAUDE_PID": "1"}),
    ],
)
def test_every_form_is_refused_when_variables_of_an_agent_are_set(
    refusal: RefusalHarness, words: tuple[str, ...], environ: dict[str, str]
) -> None:
    with refusal.harness.open_request("Bash", HARMLESS) as hook:
        done = refusal.run(*AS_PERSON, *words, **environ)
        assert done.code == ExitCode.NO_PERSON
        [name] = environ
        assert f"{name} is set here" in done.err
        assert "use a terminal that no agent started" in done.err
        refusal.check_refused(hook, name)


def test_an_agent_may_look_at_a_request(refusal: RefusalHarness) -> None:
    with refusal.harness.open_request("Bash", HARMLESS):
        done = refusal.run(*AS_PERSON, "answer", "--print", CLAUDECODE="1")
        assert (done.code, "npm test" in done.out) == (ExitCode.DONE, True)
        assert refusal.home.run("answers").out == "Nothing was answered from here yet.\n"


def test_the_session_of_the_agent_is_named_if_known(refusal: RefusalHarness) -> None:
    with refusal.harness.open_request("Bash", DANGEROUS) as hook:
        done = refusal.run(*AS_PERSON, *YES, CLAUDE_PID=str(refusal.pid))
        assert "CLAUDE_PID of session s1 is set here" in done.err
        refusal.check_refused(hook, "CLAUDE_PID", "s1")


@pytest.mark.parametrize("stand_in", ["claude", "node"])
def test_a_process_below_a_client_is_refused_without_the_variables(refusal: RefusalHarness, stand_in: str) -> None:
    hidden = ("env", "-u", "CLAUDECODE", "-u", "CLAUDE_PID", *PRODUCT, *YES)
    start = refusal.stand_ins.claude if stand_in == "claude" else refusal.stand_ins.node
    with refusal.harness.open_request("Bash", HARMLESS) as hook:
        done = refusal.run(*start("sh", "-c", '"$@"; exit $?', "x", *hidden), CLAUDECODE="1")
        assert done.code == ExitCode.NO_PERSON
        assert "Claude Code started this (process " in done.err
        refusal.check_refused(hook, "client ")


def test_an_agent_is_refused_even_with_its_own_terminal(refusal: RefusalHarness) -> None:
    ours, terminal = pty.openpty()
    try:
        with refusal.harness.open_request("Bash", DANGEROUS) as hook:
            done = refusal.run(*make_terminal_command(terminal, *refusal.stand_ins.claude(*PRODUCT, *YES)))
            assert done.code == ExitCode.NO_PERSON
            refusal.check_refused(hook, "client ")
    finally:
        os.close(ours)
        os.close(terminal)


def test_without_a_terminal_no_dangerous_request_is_answered(refusal: RefusalHarness) -> None:
    with refusal.harness.open_request("Bash", DANGEROUS) as hook:
        done = refusal.run(*AS_PERSON, *YES)
        assert done.code == ExitCode.NO_PERSON
        assert "takes a person at a terminal" in done.err
        refusal.check_refused(hook, "no terminal")


def test_an_orphaned_process_of_an_agent_cannot_answer_a_dangerous_request(refusal: RefusalHarness) -> None:
    """A process that ran away from its client can't be told from a person's script, but it has no terminal."""
    ended = refusal.home.folder / "ended"
    script = f'"$@"; echo $? >{ended}.new; mv {ended}.new {ended}'
    run_away = ("sh", "-c", 'setsid "$@" >/dev/null 2>&1 &', "x", "sh", "-c", script, "x", *PRODUCT, *YES)
    with refusal.harness.open_request("Bash", DANGEROUS) as hook:
        refusal.run(*refusal.stand_ins.claude(*run_away))
        wait_until(ended.exists, "the end of the command")
        assert ended.read_text().strip() == str(ExitCode.NO_PERSON.value)
        refusal.check_refused(hook, "")
