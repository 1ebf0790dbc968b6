"""`atm-tui answers`: the log of answers."""

import json

from atm_tui.cli.exit_codes import ExitCode
from tests.support.answer_home import AnswerHome
from tests.support.answering import read_answer_log


def test_the_log_of_answers(shell: AnswerHome) -> None:
    assert shell.run("answers").out == "Nothing was answered from here yet.\n"
    with shell.harness.open_request() as hook:
        assert shell.run("answer", "--deny", "not\nnow", "--yes").code == ExitCode.DONE
        hook.end()
    with shell.harness.open_request("Bash", {"command": "npm test"}) as hook:
        shell.app.note_alive()
        hook.give({"kind": "allow"})
        hook.end()
    done = shell.run("answers")
    assert (done.code, done.err) == (ExitCode.DONE, "")
    first, second = done.out.splitlines()
    assert "deny Bash  npm test  “not now”  from a shell after " in first
    assert "allow Bash  npm test  in the app after " in second
    assert json.loads(shell.run("answers", "--json").out) == read_answer_log(shell.harness.sandbox)


def test_a_log_that_others_can_read_is_refused(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        assert shell.run("answer", "--allow", "--yes").code == ExitCode.DONE
        hook.end()
    (shell.harness.sandbox.root / "answers" / "log.jsonl").chmod(0o644)
    done = shell.run("answers")
    assert (done.code, done.out) == (1, "")
    assert "can't be read" in done.err
