"""`atm-tui answer` as a process without a terminal, beside real hooks."""

import pytest

from atm_tui.cli.exit_codes import ExitCode
from tests.support.answer_home import AnswerHome
from tests.support.answering import ASKED, MODE, RULE, list_answered, list_part
from tests.support.answers_on_disk import list_requests

GIVEN, USAGE, SEVERAL = ExitCode.DONE, ExitCode.USAGE, ExitCode.SEVERAL
NOTHING_WAITS, NOT_POSSIBLE = ExitCode.NOT_FOUND, ExitCode.NOT_POSSIBLE


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
        shell.harness.send_hook("UserPromptSubmit", session_id="s3", prompt="go")
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


def test_the_app_lists_no_request_after_an_answer_from_a_shell(shell: AnswerHome) -> None:
    with shell.harness.open_request() as hook:
        assert len(list_requests(shell.app)) == 1
        assert shell.run("answer", "--allow", "--yes").code == GIVEN
        hook.end()
        assert list_requests(shell.app) == ()
