"""`atm-tui answer` and `atm-tui answers` as processes, beside real hooks; on a pseudo terminal where they ask questions."""

import json
import os
import pty
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.cli.conftest import CommandResult, Home
from tests.hooks.answering import ASKED, MODE, RULE, list_answered, list_part, read_answer_log
from tests.support.answers_on_disk import AnswerHarness, client, list_requests, make_armed
from tests.support.callers import AS_PERSON, make_terminal_command
from tests.support.waiting import PATIENCE

GIVEN, USAGE, SEVERAL = ExitCode.DONE, ExitCode.USAGE, ExitCode.SEVERAL
NOTHING_WAITS, NOT_POSSIBLE = ExitCode.NOT_FOUND, ExitCode.NOT_POSSIBLE
LEFT, ELSEWHERE = ExitCode.DECLINED, ExitCode.ANSWERED_ELSEWHERE


class AnswerHome:
    """A home with the state and config folders of an AnswerHarness."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.harness = AnswerHarness(folder, pid)
        self.home = Home(folder)
        self.home.environ["CLAUDE_CONFIG_DIR"] = str(self.harness.config_dir)
        self.app = make_armed(self.harness)

    def run(self, *words: str) -> CommandResult:
        self.app.note_alive()
        return self.home.run(*words)

    def run_at_terminal(self, *words: str) -> CommandResult:
        """The same with a controlling terminal, from which nothing is read."""
        ours, terminal = pty.openpty()
        self.app.note_alive()
        try:
            return self.home.start(make_terminal_command(terminal, *AS_PERSON, *words))
        finally:
            os.close(ours)
            os.close(terminal)


@pytest.fixture(autouse=True, scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The process that forks the commands has loaded them: that takes longer than a lease holds on a busy machine."""
    Home(tmp_path_factory.mktemp("loaded")).run("--version")


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[AnswerHome]:
    with client() as process:
        yield AnswerHome(tmp_path, process.pid)


class Terminal:
    """The command on a pseudo terminal: what it shows, and what a person types once a text stands there."""

    def __init__(self, shell: AnswerHome, *words: str, rows: int = 60, columns: int = 100) -> None:
        self.shell = shell
        self.shown = ""
        master, slave = pty.openpty()
        self.master = master
        shell.app.note_alive()
        self.process = subprocess.Popen(
            make_terminal_command(slave, *AS_PERSON, *words),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            cwd=shell.home.folder,
            env={**shell.home.environ, "LINES": str(rows), "COLUMNS": str(columns), "NO_COLOR": "1"},
        )
        os.close(slave)

    def until(self, text: str, seconds: float = PATIENCE) -> None:
        """Reads on until `text` stands in what has not been read before."""
        end, fresh = time.monotonic() + seconds, ""
        while text not in fresh:
            assert time.monotonic() < end, f"{text!r} is not in {fresh!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    fresh += os.read(self.master, 65536).decode()
                except OSError:
                    break
            self.shell.app.note_alive()
        self.shown += fresh
        assert text in fresh, fresh

    def type(self, text: str, after: str) -> None:
        self.until(after)
        time.sleep(0.05)
        os.write(self.master, text.encode())

    def end(self) -> int:
        end = time.monotonic() + 15
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.master, 65536).decode()
                except OSError:
                    break
            self.shell.app.note_alive()
        code = self.process.wait(5)
        while select.select([self.master], [], [], 0)[0]:
            try:
                self.shown += os.read(self.master, 65536).decode()
            except OSError:
                break
        os.close(self.master)
        return code


# --- without a terminal


@pytest.mark.parametrize(
    ("tool", "given", "words", "told"),
    [
        ("Bash", {"command": "npm test"}, ["--allow"], {"behavior": "allow"}),
        ("Bash", {"command": "npm test"}, ["--deny"], {"behavior": "deny"}),
        ("Bash", {"command": "x"}, ["--deny", "not that one"], {"behavior": "deny", "message": "not that one"}),
        (
            "Bash",
            {"command": "x"},
            ["--always", "2", "1", "--yes"],
            {"behavior": "allow", "updatedPermissions": [MODE, RULE]},
        ),
        (
            "AskUserQuestion",
            ASKED,
            ["--choose", "2", "1,=Dates and nuts"],
            {
                "behavior": "allow",
                "updatedInput": {
                    **ASKED,
                    "answers": {"Which colour?": "Blue", "Which fruits?": "Fig, Dates and nuts"},
                },
            },
        ),
        ("ExitPlanMode", {}, ["--approve"], {"behavior": "allow", "updatedInput": {}}),
    ],
)
def test_each_answer_is_given_by_its_options(
    shell: AnswerHome, tool: str, given: dict, words: list[str], told: dict
) -> None:
    with shell.harness.open_request(tool, given) as hook:
        done = shell.run("answer", "s1", *words, "--yes")
        assert (done.code, done.err) == (GIVEN, "")
        assert hook.decision() == told
    assert [each["by"] for each in list_answered(shell.harness.sandbox)] == ["shell"]


def test_the_request_is_shown_in_full(shell: AnswerHome) -> None:
    given = {"command": "npm test -- " + "x" * 200 + "\nnpm run build", "timeout": 9}
    with shell.harness.open_request("Bash", given, agent_id="a1", agent_type="Explore") as hook:
        done = shell.run("answer", "--print")
        assert done.code == GIVEN
        assert done.out.replace("\n  ", "").count("x" * 200) == 1
        for text in ("permission for Bash", "subagent: ", "Explore", "npm run build", "timeout: 9", "mode: manual"):
            assert text in done.out
        assert "1. allow Bash(rm -r build)" in done.out
        assert hook.process.poll() is None


MISFITS: dict[str, list[tuple[list[str], str]]] = {
    "Bash": [
        ([], "give both the answer and --yes"),
        (["--yes"], "give both the answer and --yes"),
        (["--allow"], "give both the answer and --yes"),
        (["--always", "3", "--yes"], "--always takes numbers from 1 to 2"),
        (["--always", "0", "--yes"], "--always takes numbers from 1 to 2"),
        (["--choose", "1", "--yes"], "--allow, --always or --deny"),
        (["--approve", "--yes"], "--allow, --always or --deny"),
        (["--deny", "x" * 2001, "--yes"], "2,000 characters"),
        (["--allow", "--deny", "x"], "not allowed with"),
    ],
    "AskUserQuestion": [
        (["--allow", "--yes"], "--choose"),
        (["--choose", "1", "--yes"], "2 questions"),
        (["--choose", "1,2", "1", "--yes"], "is no answer to"),
        (["--choose", "3", "1", "--yes"], "1 to 2"),
        (["--choose", "red", "1", "--yes"], "is no answer to"),
    ],
    "ExitPlanMode": [
        (["--allow", "--yes"], "--approve"),
    ],
}
"""By tool: options, and what the refusal says."""


@pytest.mark.parametrize("tool", MISFITS)
def test_options_that_do_not_fit_the_request_are_refused(shell: AnswerHome, tool: str) -> None:
    with shell.harness.open_request(tool, ASKED if tool == "AskUserQuestion" else {"command": "npm test"}) as hook:
        for words, says in MISFITS[tool]:
            done = shell.run("answer", "s1", *words)
            assert done.code == USAGE, words
            assert says in done.err, words
            assert list_part(shell.harness.sandbox, "verdicts") == [], words
            assert hook.process.poll() is None, words


def test_a_dangerous_request_needs_yes_twice(shell: AnswerHome) -> None:
    with shell.harness.open_request("Bash", {"command": "rm -rf src"}) as hook:
        done = shell.run_at_terminal("answer", "--allow", "--yes")
        assert done.code == USAGE
        assert "twice, since it looks dangerous" in done.err
        assert "deletes files" in done.out
        assert hook.process.poll() is None
        assert shell.run_at_terminal("answer", "--allow", "--yes", "--yes").code == GIVEN
        assert hook.decision() == {"behavior": "allow"}
    with shell.harness.open_request("Bash", {"command": "rm -rf src"}) as hook:
        assert shell.run("answer", "--deny", "no", "--yes").code == GIVEN


def test_a_suggestion_can_be_dangerous_by_itself(shell: AnswerHome) -> None:
    wide = {"type": "setMode", "mode": "bypassPermissions", "destination": "session"}
    with shell.harness.open_request(permission_suggestions=[MODE, wide]) as hook:
        done = shell.run_at_terminal("answer", "--always", "2", "--yes")
        assert done.code == USAGE
        assert "twice, since it looks dangerous" in done.err
        assert "switches to a mode that asks less" in done.out
        assert shell.run("answer", "--always", "1", "--yes").code == GIVEN
        assert hook.decision() == {"behavior": "allow", "updatedPermissions": [MODE]}


def test_a_number_that_is_also_a_label_is_ambiguous(shell: AnswerHome) -> None:
    asked = {"questions": [{"question": "How many?", "options": [{"label": "2"}, {"label": "1"}, {"label": "3"}]}]}
    with shell.harness.open_request("AskUserQuestion", asked) as hook:
        done = shell.run("answer", "--choose", "1", "--yes")
        assert (done.code, "one option's number and another's label" in done.err) == (USAGE, True)
        assert shell.run("answer", "--choose", "=1", "--yes").code == GIVEN
        assert hook.decision()["updatedInput"]["answers"] == {"How many?": "1"}


def test_identical_questions_can_only_be_denied(shell: AnswerHome) -> None:
    one = {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}
    with shell.harness.open_request("AskUserQuestion", {"questions": [one, one]}) as hook:
        done = shell.run("answer", "--choose", "1", "2", "--yes")
        assert (done.code, "asks the same twice" in done.err) == (USAGE, True)
        assert shell.run("answer", "--deny", "ask once", "--yes").code == GIVEN
        assert hook.decision() == {"behavior": "deny", "message": "ask once"}


def test_a_request_is_found_by_its_session_or_its_own_id(shell: AnswerHome) -> None:
    done = shell.run("answer")
    assert (done.code, "nothing waits for an answer here" in done.err) == (NOTHING_WAITS, True)
    with (
        shell.harness.open_request("Bash", {"command": "one"}) as one,
        shell.harness.open_request("Bash", {"command": "two"}, session_id="s2") as two,
    ):
        done = shell.run("answer", "--allow", "--yes")
        assert done.code == SEVERAL
        assert one.nonce[:8] in done.err
        assert "Bash two" in done.err
        done = shell.run("answer", "nobody", "--allow", "--yes")
        assert done.code == NOTHING_WAITS
        assert "no session matches “nobody”" in done.err
        shell.harness.event("UserPromptSubmit", session_id="s3", prompt="go")
        done = shell.run("answer", "s3", "--allow", "--yes")
        assert done.code == NOTHING_WAITS
        assert "“s3” asks nothing now. These wait for an answer:" in done.err
        assert "Bash one" in done.err
        assert shell.run("answer", "s2", "--allow", "--yes").code == GIVEN
        assert two.decision() == {"behavior": "allow"}
        assert shell.run("answer", one.nonce[:6], "--deny", "--yes").code == GIVEN
        assert one.decision() == {"behavior": "deny"}


def test_nothing_can_be_answered_while_no_app_is_armed(shell: AnswerHome) -> None:
    shell.app.arm(False)
    done = shell.run("answer", "--allow", "--yes")
    assert (done.code, "Press A in atm-tui" in done.err) == (NOTHING_WAITS, True)
    shell.harness.install(answers=False)
    done = shell.run("answer", "--allow", "--yes")
    assert (done.code, "install --answers" in done.err) == (NOTHING_WAITS, True)


def test_read_only_shows_and_never_answers(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        done = shell.run("--read-only", "answer", "--allow", "--yes")
        assert (done.code, "read-only" in done.err) == (NOT_POSSIBLE, True)
        assert "npm test" in shell.run("--read-only", "answer", "--print").out
        config = shell.home.folder / "config.toml"
        config.write_text("read_only = true\n")
        shell.home.environ["ATM_CONFIG"] = str(config)
        assert shell.run("answer", "--allow", "--yes").code == NOT_POSSIBLE
        assert list_part(shell.harness.sandbox, "verdicts") == []
        assert hook.process.poll() is None


# --- on a terminal


def test_the_command_asks_and_enter_alone_answers_nothing(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("\n", after="Enter cancels: ")
        assert terminal.end() == LEFT
        assert "a allow · d deny · w allow from now on" in terminal.shown
        assert hook.process.poll() is None
        terminal = Terminal(shell, "answer")
        terminal.type("a\n", after="Enter cancels: ")
        assert terminal.end() == GIVEN
        assert "Allowed." in terminal.shown
        assert hook.decision() == {"behavior": "allow"}


def test_a_denial_with_a_reason_and_a_lasting_permission(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("d\n", after="Enter cancels: ")
        terminal.type("use make\n", after="Enter: none): ")
        assert terminal.end() == GIVEN
        assert hook.decision() == {"behavior": "deny", "message": "use make"}
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("w\n", after="Enter cancels: ")
        terminal.type("2\n", after="Which of 1 to 2")
        assert terminal.end() == GIVEN
        assert hook.decision() == {"behavior": "allow", "updatedPermissions": [MODE]}


def test_a_dangerous_request_is_confirmed_twice(shell: AnswerHome) -> None:
    with shell.harness.open_request("Bash", {"command": "rm -rf src"}) as hook:
        for second in ("\n", "y\n", "a\n"):
            terminal = Terminal(shell, "answer")
            terminal.type("a\n", after="Enter cancels: ")
            terminal.type(second, after="It looks dangerous")
            assert terminal.end() == LEFT
        terminal = Terminal(shell, "answer", "--allow", "--yes")
        terminal.type("yes\n", after="It looks dangerous")
        assert terminal.end() == GIVEN
        assert hook.decision() == {"behavior": "allow"}


def test_questions_are_asked_one_after_the_other(shell: AnswerHome) -> None:
    with shell.harness.open_request("AskUserQuestion", ASKED) as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("1\n", after="(1 to 2, or =your own words; d denies, Enter cancels): ")
        terminal.type("=figs, only\n", after="several with commas")
        assert terminal.end() == GIVEN
        assert hook.decision()["updatedInput"]["answers"] == {"Which colour?": "Red", "Which fruits?": '"figs, only"'}


def test_a_long_request_is_paged_and_cannot_be_allowed_before_its_end(shell: AnswerHome) -> None:
    command = "\n".join(f"echo {number}" for number in range(60))
    with shell.harness.open_request("Bash", {"command": command}) as hook:
        terminal = Terminal(shell, "answer", "--allow", "--yes", rows=30)
        terminal.type("q\n", after="more lines: Enter shows them")
        assert terminal.end() == LEFT
        assert "not all of it was seen" in terminal.shown
        terminal = Terminal(shell, "answer", "--allow", "--yes", rows=30)
        terminal.type("\n", after="more lines: Enter shows them")
        terminal.type("\n", after="more lines: Enter shows them")
        assert terminal.end() == GIVEN
        assert "echo 59" in terminal.shown
        assert hook.decision() == {"behavior": "allow"}


def test_a_request_too_long_to_show_can_be_denied_but_not_allowed(shell: AnswerHome) -> None:
    with shell.harness.open_request("Write", {"file_path": "/home/user/work/api/a", "content": "x\n" * 11_000}) as hook:
        done = shell.run("answer", "--allow", "--yes", "--yes")
        assert done.code == NOT_POSSIBLE
        assert "too long to be shown whole" in done.err
        assert "lines are left out" in done.out
        assert hook.process.poll() is None
        assert shell.run("answer", "--deny", "too long", "--yes").code == GIVEN
        assert hook.decision()["behavior"] == "deny"


def test_keys_typed_before_a_page_is_shown_are_dropped(shell: AnswerHome) -> None:
    command = "\n".join(f"echo {number}" for number in range(60))
    with shell.harness.open_request("Bash", {"command": command}) as hook:
        terminal = Terminal(shell, "answer", "--allow", "--yes", rows=30)
        os.write(terminal.master, b"\n\n\n\n")
        terminal.until("more lines: Enter shows them")
        time.sleep(0.3)
        assert terminal.process.poll() is None
        os.write(terminal.master, b"q\n")
        assert terminal.end() == LEFT
        assert hook.process.poll() is None


def test_keys_typed_before_the_question_are_dropped(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        os.write(terminal.master, b"a\na\na\n")
        terminal.until("Enter cancels: ")
        time.sleep(0.3)
        assert terminal.process.poll() is None
        os.write(terminal.master, b"\n")
        assert terminal.end() == LEFT
        assert hook.process.poll() is None


def test_the_second_of_two_answers_is_refused(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.until("Enter cancels: ")
        assert hook.give({"kind": "deny"})
        assert hook.decision() == {"behavior": "deny"}
        os.write(terminal.master, b"a\n")
        assert terminal.end() == ELSEWHERE
        assert "answered elsewhere" in terminal.shown


def test_control_characters_of_a_request_are_removed(shell: AnswerHome) -> None:
    with shell.harness.open_request(
        "Bash", {"command": "ls\x1b[2J\x9b1m\u202e", "\x1b]0;x\x07": "y"}, cwd="/a\x1b[31m"
    ):
        done = shell.run("answer", "--print")
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(done.out)
        assert "doesn't show" in done.out


# --- the log


def test_the_log_of_answers(shell: AnswerHome) -> None:
    assert shell.run("answers").out == "Nothing was answered from here yet.\n"
    with shell.harness.open_request() as hook:
        assert shell.run("answer", "--deny", "not\nnow", "--yes").code == GIVEN
        hook.end()
    with shell.harness.open_request("Bash", {"command": "npm test"}) as hook:
        shell.app.note_alive()
        hook.give({"kind": "allow"})
        hook.end()
    done = shell.run("answers")
    assert (done.code, done.err) == (GIVEN, "")
    first, second = done.out.splitlines()
    assert "deny Bash  npm test  “not now”  from a shell after " in first
    assert "allow Bash  npm test  in the app after " in second
    assert json.loads(shell.run("answers", "--json").out) == read_answer_log(shell.harness.sandbox)


def test_a_log_that_others_can_read_is_refused(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        assert shell.run("answer", "--allow", "--yes").code == GIVEN
        hook.end()
    (shell.harness.sandbox.root / "answers" / "log.jsonl").chmod(0o644)
    done = shell.run("answers")
    assert (done.code, done.out) == (1, "")
    assert "can't be read" in done.err


def test_the_app_lists_no_request_after_an_answer_from_a_shell(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        assert len(list_requests(shell.app)) == 1
        assert shell.run("answer", "--allow", "--yes").code == GIVEN
        hook.end()
        assert list_requests(shell.app) == ()
