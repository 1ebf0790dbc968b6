"""`atm-tui answer` on a pseudo terminal: what it asks, and what a person types."""

import os
import time

from atm_tui.cli.exit_codes import ExitCode
from tests.support.answer_home import AnswerHome, Terminal
from tests.support.answering import ASKED, MODE


def test_the_command_asks_and_enter_alone_answers_nothing(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("\n", after="Enter cancels: ")
        assert terminal.end() == ExitCode.DECLINED
        assert "a allow · d deny · w allow from now on" in terminal.shown
        assert hook.process.poll() is None
        terminal = Terminal(shell, "answer")
        terminal.type("a\n", after="Enter cancels: ")
        assert terminal.end() == ExitCode.DONE
        assert "Allowed." in terminal.shown
        assert hook.decision() == {"behavior": "allow"}


def test_a_denial_with_a_reason_and_a_lasting_permission(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("d\n", after="Enter cancels: ")
        terminal.type("use make\n", after="Enter: none): ")
        assert terminal.end() == ExitCode.DONE
        assert hook.decision() == {"behavior": "deny", "message": "use make"}
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("w\n", after="Enter cancels: ")
        terminal.type("2\n", after="Which of 1 to 2")
        assert terminal.end() == ExitCode.DONE
        assert hook.decision() == {"behavior": "allow", "updatedPermissions": [MODE]}


def test_a_dangerous_request_is_confirmed_twice(shell: AnswerHome) -> None:
    with shell.harness.open_request("Bash", {"command": "rm -rf src"}) as hook:
        for second in ("\n", "y\n", "a\n"):
            terminal = Terminal(shell, "answer")
            terminal.type("a\n", after="Enter cancels: ")
            terminal.type(second, after="It looks dangerous")
            assert terminal.end() == ExitCode.DECLINED
        terminal = Terminal(shell, "answer", "--allow", "--yes")
        terminal.type("yes\n", after="It looks dangerous")
        assert terminal.end() == ExitCode.DONE
        assert hook.decision() == {"behavior": "allow"}


def test_questions_are_asked_one_after_the_other(shell: AnswerHome) -> None:
    with shell.harness.open_request("AskUserQuestion", ASKED) as hook:
        terminal = Terminal(shell, "answer")
        terminal.type("1\n", after="(1 to 2, or =your own words; d denies, Enter cancels): ")
        terminal.type("=figs, only\n", after="several with commas")
        assert terminal.end() == ExitCode.DONE
        assert hook.decision()["updatedInput"]["answers"] == {"Which colour?": "Red", "Which fruits?": '"figs, only"'}


def test_a_long_request_is_paged_and_cannot_be_allowed_before_its_end(shell: AnswerHome) -> None:
    command = "\n".join(f"echo {number}" for number in range(60))
    with shell.harness.open_request("Bash", {"command": command}) as hook:
        terminal = Terminal(shell, "answer", "--allow", "--yes", rows=30)
        terminal.type("q\n", after="more lines: Enter shows them")
        assert terminal.end() == ExitCode.DECLINED
        assert "not all of it was seen" in terminal.shown
        terminal = Terminal(shell, "answer", "--allow", "--yes", rows=30)
        terminal.type("\n", after="more lines: Enter shows them")
        terminal.type("\n", after="more lines: Enter shows them")
        assert terminal.end() == ExitCode.DONE
        assert "echo 59" in terminal.shown
        assert hook.decision() == {"behavior": "allow"}


def test_a_request_too_long_to_show_can_be_denied_but_not_allowed(shell: AnswerHome) -> None:
    with shell.harness.open_request("Write", {"file_path": "/home/user/work/api/a", "content": "x\n" * 11_000}) as hook:
        done = shell.run("answer", "--allow", "--yes", "--yes")
        assert done.code == ExitCode.NOT_POSSIBLE
        assert "too long to be shown whole" in done.err
        assert "lines are left out" in done.out
        assert hook.process.poll() is None
        assert shell.run("answer", "--deny", "too long", "--yes").code == ExitCode.DONE
        assert hook.decision()["behavior"] == "deny"


def test_keys_typed_before_a_page_is_shown_are_dropped(shell: AnswerHome) -> None:
    command = "\n".join(f"echo {number}" for number in range(60))
    with shell.harness.open_request("Bash", {"command": command}) as hook:
        terminal = Terminal(shell, "answer", "--allow", "--yes", rows=30)
        os.write(terminal.master, b"\n\n\n\n")
        terminal.read_until("more lines: Enter shows them")
        time.sleep(0.3)
        assert terminal.process.poll() is None
        os.write(terminal.master, b"q\n")
        assert terminal.end() == ExitCode.DECLINED
        assert hook.process.poll() is None


def test_keys_typed_before_the_question_are_dropped(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        os.write(terminal.master, b"a\na\na\n")
        terminal.read_until("Enter cancels: ")
        time.sleep(0.3)
        assert terminal.process.poll() is None
        os.write(terminal.master, b"\n")
        assert terminal.end() == ExitCode.DECLINED
        assert hook.process.poll() is None


def test_the_second_of_two_answers_is_refused(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        terminal = Terminal(shell, "answer")
        terminal.read_until("Enter cancels: ")
        assert hook.give({"kind": "deny"})
        assert hook.decision() == {"behavior": "deny"}
        os.write(terminal.master, b"a\n")
        assert terminal.end() == ExitCode.ANSWERED_ELSEWHERE
        assert "answered elsewhere" in terminal.shown


def test_control_characters_of_a_request_are_removed(shell: AnswerHome) -> None:
    with shell.harness.open_request(
        "Bash", {"command": "ls\x1b[2J\x9b1m\u202e", "\x1b]0;x\x07": "y"}, cwd="/a\x1b[31m"
    ):
        done = shell.run("answer", "--print")
        assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(done.out)
        assert "doesn't show" in done.out
