"""Real hook processes that wait for a person: what they ask, and what each answer prints."""

import json
import os
import shlex
import signal
import subprocess
import time
from typing import Any

import pytest

from atm_hooks import answer_log, answers
from atm_tui.view.answer_log import format_answer
from tests.support.answering import (
    ASKED,
    BASH,
    LEASE,
    MODE,
    RULE,
    SOON,
    Object,
    becomes_true,
    list_answered,
    list_leftovers,
    list_part,
    make_answer_command,
    make_payload,
    read_answer_log,
    start_asker,
)
from tests.support.hook_sandbox import HOOK, PATH_ONLY, PYTHON, HookSandbox
from tests.support.waiting import PATIENCE

# --- without an armed app


def test_without_an_armed_app_the_hook_ends_at_once(sandbox: HookSandbox) -> None:
    for _ in range(2):  # with nothing there, and with what an app has left
        with start_asker(sandbox) as hook:
            assert hook.is_silent(SOON)
            assert hook.nonce == ""
        answers.prepare_answers(str(sandbox.root))
    assert sandbox.read_state()["waits"][0]["reason"] == "permission"
    assert read_answer_log(sandbox) == []


def test_without_an_armed_app_the_hook_imports_nothing_more(sandbox: HookSandbox) -> None:
    code = (
        f"import sys, posix; sys.argv = ['hook.py', {str(sandbox.root)!r}, *sys.argv[1:]]; end = posix._exit\n"
        "posix._exit = lambda code: (print(*sorted(sys.modules), flush=True), end(code))\n"
        f"exec(compile(open({str(HOOK)!r}).read(), {str(HOOK)!r}, 'exec'), dict(__name__='__main__', __file__={str(HOOK)!r}))"
    )
    loaded = [
        subprocess.run(
            [PYTHON, "-I", "-S", "-c", code, *options],
            input=json.dumps(make_payload()).encode(),
            capture_output=True,
            check=True,
        ).stdout
        for options in ([], ["--answers"])
    ]
    assert loaded[0] == loaded[1]
    assert b"atm_hooks.journal" in loaded[0]
    assert not (sandbox.root / "answers").exists()


def test_without_the_option_an_armed_app_is_not_asked(armed: HookSandbox) -> None:
    armed.send_hook(make_payload())
    assert list_leftovers(armed) == []


@pytest.mark.parametrize("kind", ["PreToolUse", "Stop", "SessionStart", "Elicitation", "PermissionDenied", "Unknown"])
def test_no_other_event_waits(armed: HookSandbox, kind: str) -> None:
    with start_asker(armed, make_payload(hook_event_name=kind)) as hook:
        assert hook.is_silent(SOON)
        assert hook.nonce == ""


def test_in_bypass_mode_only_questions_and_plans_wait(armed: HookSandbox) -> None:
    with start_asker(armed, make_payload(permission_mode="bypassPermissions")) as hook:
        assert hook.is_silent(SOON)
    for tool, given in (("AskUserQuestion", ASKED), ("ExitPlanMode", {})):
        with start_asker(armed, make_payload(tool, given, permission_mode="bypassPermissions")) as hook:
            assert hook.request["tool"] == tool


# --- what is asked


def test_the_request_contains_everything_the_user_must_see(armed: HookSandbox) -> None:
    with start_asker(armed, make_payload(agent_id="a1", agent_type="Explore")) as hook:
        request = hook.request
        assert request.pop("secret") != request["nonce"]
        assert time.time() - PATIENCE < request.pop("at") == request.pop("until") - 60
        assert request == {
            "version": 1,
            "nonce": hook.nonce,
            "lease": LEASE,
            "session_id": "s1",
            "agent_id": "a1",
            "agent_type": "Explore",
            "key": armed.read_state()["waits"][0]["key"],
            "tool": "Bash",
            "digest": answers.digest_input(BASH),
            "input": BASH,
            "suggestions": [RULE, MODE],
            "cwd": "/home/user/work/api",
            "permission_mode": "default",
            "transcript_path": "/home/user/.claude/projects/-home-user-work-api/s1.jsonl",
        }
        modes = {path.lstat().st_mode & 0o777 for path in (armed.root / "answers").rglob("*")}
        assert modes == {0o600, 0o700}


ODD = {
    "command": "\ud800 \u202e é\x00\x1b[2J\n",
    "nested": [[{"a": [1, 2.5, -0.0, 1e300, None, True]}]],
    "": "",
    "big": 2**70,
}


def test_an_unusual_input_is_passed_on_unchanged(armed: HookSandbox) -> None:
    with start_asker(armed, make_payload(given=ODD)) as hook:
        assert hook.request["input"] == ODD
        assert hook.give({"kind": "allow"})
        assert hook.decision() == {"behavior": "allow"}


def make_nested(levels: int) -> Object:
    found: Object = {}
    for _ in range(levels - 1):
        found = {"x": found}
    return found


def test_an_input_at_the_nesting_limit_is_a_request(armed: HookSandbox) -> None:
    with start_asker(armed, make_payload("mcp__x__y", make_nested(50))) as hook:
        assert hook.request["input"] == make_nested(50)


@pytest.mark.parametrize(
    "given", [{"content": "x" * (9 << 20)}, ["no object"], None, "text", make_nested(51), make_nested(900)]
)
def test_an_input_that_cannot_be_shown_is_left_to_the_clients_dialog(armed: HookSandbox, given: Any) -> None:
    with start_asker(armed, make_payload("Write", given)) as hook:
        assert hook.is_silent()
        assert hook.nonce == ""
    assert armed.read_log().count("VoidError") == 1


@pytest.mark.parametrize("value", [b"NaN", b"1e999", b"[" * 200_000])
def test_an_input_that_is_not_json_ends_silently(armed: HookSandbox, value: bytes) -> None:
    raw = json.dumps(make_payload(given={"x": "HERE"})).encode().replace(b'"HERE"', value)
    done = subprocess.run(
        make_answer_command(armed), input=raw, capture_output=True, timeout=PATIENCE, check=False, env=PATH_ONLY
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list_leftovers(armed) == []


# --- what is answered


@pytest.mark.parametrize(
    ("tool", "given", "decision", "told"),
    [
        ("Bash", BASH, {"kind": "allow"}, {"behavior": "allow"}),
        ("Bash", BASH, {"kind": "deny"}, {"behavior": "deny"}),
        (
            "Bash",
            BASH,
            {"kind": "deny", "message": "not that, please ü"},
            {"behavior": "deny", "message": "not that, please ü"},
        ),
        ("Bash", BASH, {"kind": "always", "suggestions": [0]}, {"behavior": "allow", "updatedPermissions": [RULE]}),
        (
            "AskUserQuestion",
            ASKED,
            {"kind": "answer", "answers": {"Which colour?": "Blue", "Which fruits?": ["Fig", "plum"]}},
            {
                "behavior": "allow",
                "updatedInput": {**ASKED, "answers": {"Which colour?": "Blue", "Which fruits?": "Fig, plum"}},
            },
        ),
        ("AskUserQuestion", ASKED, {"kind": "deny", "message": "later"}, {"behavior": "deny", "message": "later"}),
        ("ExitPlanMode", {}, {"kind": "approve"}, {"behavior": "allow", "updatedInput": {}}),
        ("ExitPlanMode", {}, {"kind": "deny", "message": "shorter"}, {"behavior": "deny", "message": "shorter"}),
    ],
)
def test_each_kind_of_answer_has_the_clients_format(
    armed: HookSandbox, tool: str, given: Object, decision: Object, told: Object
) -> None:
    with start_asker(armed, make_payload(tool, given)) as hook:
        assert hook.give(decision, "shell")
        assert hook.decision() == told
    assert list_leftovers(armed) == []
    event, line = list_answered(armed)[0], read_answer_log(armed)[0]
    assert {key: event.get(key) for key in ("session_id", "tool", "key", "decision", "by")} == {
        "session_id": "s1",
        "tool": tool,
        "key": f"|{tool}|{event['hash']}",
        "decision": decision["kind"],
        "by": "shell",
    }
    assert 0 <= event["after"] < 5
    assert {key: line[key] for key in ("tool", "decision", "by", "outcome", "nonce", "agent_id")} == {
        "tool": tool,
        "decision": decision["kind"],
        "by": "shell",
        "outcome": "given",
        "nonce": hook.nonce,
        "agent_id": None,
    }


def test_the_log_contains_no_secret(armed: HookSandbox) -> None:
    given = {"command": "curl -H 'Authorization: Bearer abcdef0123456789abcdef' x"}
    with start_asker(armed, make_payload(given=given)) as hook:
        assert hook.give({"kind": "deny", "message": "not with password=hunter2hunter2"})
        assert hook.decision()["message"] == "not with password=hunter2hunter2"
    line = (armed.root / "answers" / "log.jsonl").read_text()
    assert "[redacted]" in line
    assert "hunter2" not in line
    assert "abcdef0123" not in line
    assert answer_log.read_lines(str(armed.root)) == read_answer_log(armed)


def test_the_log_describes_answers_in_words(armed: HookSandbox) -> None:
    chosen = {"Which colour?": "Grün 🎨", "Which fruits?": ["Fig, ripe", "Äpfel"]}
    with start_asker(armed, make_payload("AskUserQuestion", ASKED)) as hook:
        assert hook.give({"kind": "answer", "answers": chosen})
        assert hook.decision()["updatedInput"]["answers"]["Which fruits?"] == '"Fig, ripe", Äpfel'
    (line,) = read_answer_log(armed)
    assert line["message"] == 'Which colour? → Grün 🎨; Which fruits? → "Fig, ripe", Äpfel'
    assert format_answer(line).count(line["message"]) == 1


def test_the_log_describes_suggestions_in_words(armed: HookSandbox) -> None:
    rule = {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "über:*"}], "behavior": "allow"}
    with start_asker(armed, {**make_payload(), "permission_suggestions": [rule]}) as hook:
        assert hook.give({"kind": "always", "suggestions": [0]})
        hook.decision()
    assert "über:*" in read_answer_log(armed)[0]["message"]


def test_a_subagents_request_is_answered_separately(armed: HookSandbox) -> None:
    with start_asker(armed, make_payload(agent_id="a1", agent_type="Explore")) as hook:
        assert hook.give({"kind": "allow"})
        assert hook.decision() == {"behavior": "allow"}
    event = list_answered(armed)[0]
    assert (event["agent_id"], event["key"]) == ("a1", f"a1|Bash|{event['hash']}")
    assert read_answer_log(armed)[0]["agent_id"] == "a1"


def test_two_requests_are_answered_in_the_reverse_order(armed: HookSandbox) -> None:
    with (
        start_asker(armed, make_payload(agent_id="a1")) as first,
        start_asker(armed, make_payload(agent_id="a2")) as second,
    ):
        assert len(list_part(armed, "requests")) == 2
        assert second.give({"kind": "allow"})
        assert second.decision() == {"behavior": "allow"}
        assert first.process.poll() is None
        assert first.give({"kind": "deny"})
        assert first.decision() == {"behavior": "deny"}
    assert [event["agent_id"] for event in list_answered(armed)] == ["a2", "a1"]
    assert list_leftovers(armed) == []


def test_only_the_first_of_two_answers_counts(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        os.kill(hook.process.pid, signal.SIGSTOP)
        request = hook.request
        assert hook.give({"kind": "deny", "message": "first"})
        assert not hook.give({"kind": "allow"}, "shell")
        os.kill(hook.process.pid, signal.SIGCONT)
        assert hook.decision() == {"behavior": "deny", "message": "first"}
    assert not answers.give_verdict(str(armed.root), request, {"kind": "allow"}, "app", time.time())
    assert list_leftovers(armed) == []
    assert len(read_answer_log(armed)) == len(list_answered(armed)) == 1


def test_an_answer_that_the_client_cannot_read_does_not_count(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        assert hook.process.stdout
        hook.process.stdout.close()
        assert hook.give({"kind": "allow"})
        assert hook.process.wait(10) == 0
    assert list_answered(armed) == []
    assert read_answer_log(armed)[0]["outcome"].startswith("void: the client does not listen")
    assert list_leftovers(armed) == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", ">&- 2>&-"])
def test_with_stdout_closed_the_answer_is_not_written_into_another_file(armed: HookSandbox, closed: str) -> None:
    line = f"{shlex.join(make_answer_command(armed))} {closed}"
    raw = json.dumps(make_payload()).encode()
    done = subprocess.run(["sh", "-c", line], input=raw, capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list_leftovers(armed) == []


# --- verdicts that don't count


def test_the_wait_continues_after_an_invalid_verdict(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        answers.write_new(str(hook.verdict), b"{}")
        hook.wake()
        assert becomes_true(lambda: not hook.verdict.exists())
        assert hook.give({"kind": "deny"})
        assert hook.decision() == {"behavior": "deny"}
    assert [line["outcome"] for line in read_answer_log(armed)] == ["void: not the keys of a verdict", "given"]
    assert [line["decision"] for line in read_answer_log(armed)] == ["", "deny"]


def test_the_log_is_rotated_and_tolerates_a_cut_line(armed: HookSandbox) -> None:
    path = armed.root / "answers" / "log.jsonl"
    answers.write_new(str(path), b'{"outcome":"old"}\n{"cut')
    with start_asker(armed) as hook:
        assert hook.give({"kind": "allow"})
        assert hook.decision()
    assert [line["outcome"] for line in answer_log.read_lines(str(armed.root))] == ["old", "given"]
    with path.open("ab") as file:
        file.write(b'{"outcome":"more"}\n' + b"x" * answer_log.ROTATE_SIZE)
    with start_asker(armed) as hook:
        assert hook.give({"kind": "deny"})
        assert hook.decision()
    assert path.read_bytes().count(b"\n") == 1
    assert path.with_name("log.jsonl.1").stat().st_size > answer_log.ROTATE_SIZE
    assert [line["outcome"] for line in answer_log.read_lines(str(armed.root))] == ["old", "given", "more", "given"]
