"""Real hook processes whose wait for an answer ends without one: withdrawn, disarmed, too late, killed."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answer_sweep, answer_wait, answers
from tests.support.answering import (
    LEASE,
    Object,
    arm,
    becomes_true,
    list_answered,
    list_leftovers,
    list_part,
    make_answer_command,
    make_payload,
    read_answer_log,
    renew_lease,
    start_asker,
)
from tests.support.hook_sandbox import PATH_ONLY, HookSandbox


@pytest.mark.parametrize("how", ["answered", "withdrawn", "disarmed"])
def test_the_hook_is_woken_at_once(armed: HookSandbox, how: str) -> None:
    """It begins to wait when its request is there, so one that is not woken takes a second at least."""
    took = []
    while len(took) < 8 and min(took, default=1.0) > 0.7:
        arm(armed)
        with start_asker(armed) as hook:
            began = time.monotonic()
            if how == "answered":
                assert hook.give({"kind": "allow"})
            elif how == "withdrawn":
                answers.withdraw_request(hook.root, hook.nonce)
            else:
                answers.disarm(hook.root, LEASE)
            hook.end()
            took.append(time.monotonic() - began)
    assert min(took) <= 0.7, took


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system does not tell when a process ends")
def test_while_the_lease_is_renewed_the_hook_looks_only_when_a_heartbeat_could_be_late(armed: HookSandbox) -> None:
    def count_wake_ups(pid: int) -> int:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))

    with start_asker(armed, CLAUDE_PID=str(os.getpid())) as hook:
        time.sleep(0.5)
        before, until = count_wake_ups(hook.process.pid), time.monotonic() + 4
        while time.monotonic() < until:
            renew_lease(armed)
            time.sleep(0.1)
        assert count_wake_ups(hook.process.pid) - before < 3
        assert hook.process.poll() is None


def test_a_request_answered_elsewhere_ends_the_wait_at_once(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        answers.withdraw_request(hook.root, hook.nonce)
        assert hook.is_silent()
    assert read_answer_log(armed) == []


def test_removing_a_request_ends_the_wait(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        (armed.root / "answers" / "requests" / f"{hook.nonce}.json").unlink()
        assert hook.is_silent()


def test_an_answer_to_a_request_that_was_withdrawn_does_not_count(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        os.kill(hook.process.pid, signal.SIGSTOP)
        assert hook.give({"kind": "allow"})
        answers.withdraw_request(hook.root, hook.nonce)
        os.kill(hook.process.pid, signal.SIGCONT)
        assert hook.is_silent()
    assert [line["outcome"] for line in read_answer_log(armed)] == ["void: it came too late"]


@pytest.mark.parametrize(
    ("what", "outcomes"),
    [("request", ["void: it came too late"]), ("lease", ["void: it came too late"]), ("verdict", [])],
    ids=["request", "lease", "verdict"],
)
def test_what_is_withdrawn_while_the_verdict_is_checked_gives_no_answer(
    armed: HookSandbox, monkeypatch: pytest.MonkeyPatch, what: str, outcomes: list[str]
) -> None:
    root, event = str(armed.root), {"session_id": "s1", "tool": "Bash", "hash": "0" * 16, "pid": os.getpid()}
    request = answers.make_request(make_payload(), event, {"id": LEASE, "wait": 60}, time.time())
    monkeypatch.setattr(answer_wait, "signal", lambda *_: None)
    check = answer_wait.check_verdict

    def withdraw_and_check(*given: Any) -> Object:
        if what == "request":
            answers.withdraw_request(root, request["nonce"])
        elif what == "lease":
            answers.disarm(root, LEASE)
        else:
            (armed.root / "answers" / "verdicts" / f"{request['nonce']}.json").unlink()
        return check(*given)

    monkeypatch.setattr(answer_wait, "check_verdict", withdraw_and_check)
    answers.prepare_answers(root)
    wait = answer_wait.Wait(root, request, event, 60 if outcomes else 0.3)
    try:
        wait.open(json.dumps(request).encode())
        assert answers.give_verdict(root, request, {"kind": "allow"}, "app", time.time())
        assert wait.wait_for_verdict() is None
    finally:
        wait.close()
    assert [line["outcome"] for line in read_answer_log(armed)] == outcomes


def test_the_wait_ends_when_the_app_disarms(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        answers.disarm(hook.root, LEASE)
        assert hook.is_silent()


def test_the_wait_ends_when_the_lease_expires(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        os.utime(armed.root / "answers" / "lease", (time.time() - 6,) * 2)
        assert hook.is_silent()


def test_answers_count_only_while_the_lease_is_renewed(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        os.utime(armed.root / "answers" / "lease", (time.time() - 6,) * 2)
        assert hook.give({"kind": "allow"})
        time.sleep(0.3)
        assert hook.process.poll() is None
        assert hook.verdict.exists()
        renew_lease(armed)
        assert hook.decision() == {"behavior": "allow"}


def test_another_app_can_take_over_the_lease(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        answers.arm(hook.root, {"version": 1, "id": "2" * 32, "pid": 1, "wait": 5})
        hook.wake()
        time.sleep(0.1)
        assert hook.give({"kind": "allow"})
        assert hook.decision() == {"behavior": "allow"}


def test_the_wait_ends_at_the_deadline(sandbox: HookSandbox) -> None:
    arm(sandbox, 0.7)
    with start_asker(sandbox) as hook:
        assert becomes_true(lambda: hook.process.poll() is not None, sandbox=sandbox)
        assert hook.is_silent()
        assert time.monotonic() - hook.began > 0.4
    assert read_answer_log(sandbox) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_wait_at_once(armed: HookSandbox, number: signal.Signals) -> None:
    with start_asker(armed) as hook:
        hook.process.send_signal(number)
        assert hook.is_silent()


def test_requests_of_a_killed_hook_cannot_be_answered_and_are_removed(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        request = hook.request
        hook.process.kill()
        hook.process.wait()
        assert sorted(list_leftovers(armed)) == [f"requests/{hook.nonce}.json", f"wake/{hook.nonce}"]
        assert not hook.give({"kind": "allow"})
        assert answer_sweep.remove_leftovers(hook.root, time.time() + 60) == [hook.nonce]
    assert list_leftovers(armed) == []
    # the same dialog asks again: an answer to the dead one is none to this one
    with start_asker(armed) as again:
        assert again.nonce != request["nonce"]
        assert not answers.give_verdict(again.root, request, {"kind": "allow"}, "app", time.time())
        assert again.process.poll() is None


def test_a_hook_killed_after_the_answer_leaves_no_valid_file(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        os.kill(hook.process.pid, signal.SIGSTOP)
        assert hook.give({"kind": "allow"})
        hook.process.kill()
        assert hook.process.wait() == -9
    with start_asker(armed) as again:
        again.wake()
        time.sleep(0.2)
        assert again.process.poll() is None
        assert answer_sweep.remove_leftovers(again.root, time.time() + 60) == [hook.nonce]
        assert list_leftovers(armed) == [f"requests/{again.nonce}.json", f"wake/{again.nonce}"]
    assert list_answered(armed) == []


def test_the_wait_ends_when_the_client_does(armed: HookSandbox) -> None:
    client = subprocess.Popen(["sleep", "60"])
    try:
        with start_asker(armed, CLAUDE_PID=str(client.pid)) as hook:
            time.sleep(0.3)
            assert hook.process.poll() is None
            client.kill()  # and nobody waits for it yet: it stays in the table, dead
            assert becomes_true(lambda: hook.process.poll() is not None)
            assert hook.is_silent()
    finally:
        client.kill()
        client.wait()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not tell who a process's parent is")
@pytest.mark.parametrize("shell", [True, False])
def test_the_wait_ends_with_a_client_that_does_not_report_its_pid(
    armed: HookSandbox, tmp_path: Path, shell: bool
) -> None:
    """The shell between the client and the hook lives on."""
    (tmp_path / "payload").write_text(json.dumps(make_payload()))
    words = shlex.join(make_answer_command(armed))
    line = (
        f"{words} <'{tmp_path}/payload' >'{tmp_path}/out' || true" if shell else f"exec {words} <'{tmp_path}/payload'"
    )
    client = subprocess.Popen(
        [sys.executable, "-c", f"import subprocess; subprocess.run(['sh', '-c', {line!r}])"], env=PATH_ONLY
    )
    try:
        assert becomes_true(lambda: len(list_part(armed, "requests")) == 1, sandbox=armed)
    finally:
        client.kill()
        client.wait()
    assert becomes_true(lambda: list_leftovers(armed) == [], 3, sandbox=armed)
    assert list_answered(armed) == []
