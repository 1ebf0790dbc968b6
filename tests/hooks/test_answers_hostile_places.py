"""Hostile requests, FIFOs, folders, leases and logs, tried on real hooks: none makes a yes that nobody gave."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answer_sweep, answers
from atm_hooks.codec import encode
from tests.support.answering import (
    ALLOW,
    BASH,
    LEASE,
    MODE,
    NO_FILES,
    RULE,
    SOON,
    Object,
    WaitingHook,
    arm,
    becomes_true,
    list_answered,
    list_leftovers,
    list_part,
    make_payload,
    needs_root,
    put,
    read_answer_log,
    read_request,
    start_asker,
)
from tests.support.hook_sandbox import HookSandbox

# --- the request


def rewrite_request(hook: WaitingHook, **changes: Any) -> Object:
    """The request's file, edited in its place; what it holds now."""
    path = Path(answers.locate_request(hook.root, hook.nonce))
    found: Object = {**hook.request, **changes}
    path.write_bytes(encode(found).encode())
    return found


def test_a_request_with_another_secret(armed: HookSandbox) -> None:
    with start_asker(armed) as hook:
        request = rewrite_request(hook, secret="0" * 64)
        assert answers.give_verdict(hook.root, request, ALLOW, "app", time.time())
        assert becomes_true(lambda: len(read_answer_log(armed)) == 1)
        assert read_answer_log(armed)[0]["outcome"] == "void: the seal does not fit"
        assert hook.process.poll() is None


def test_a_request_with_another_input(armed: HookSandbox) -> None:
    """The person is shown `ls`, and says yes to that: the hook does not take it for a yes to what it asked."""
    with start_asker(armed) as hook:
        rewrite_request(hook, input={"command": "ls"})
        with pytest.raises(answers.VoidError, match="damaged"):
            answers.read_request(hook.root, hook.nonce)
        path = Path(answers.locate_request(hook.root, hook.nonce))
        request = json.loads(path.read_bytes()) | {"digest": answers.digest_input({"command": "ls"})}
        path.write_bytes(encode(request).encode())
        assert hook.give(ALLOW)
        assert becomes_true(lambda: len(read_answer_log(armed)) == 1)
        assert read_answer_log(armed)[0]["outcome"] == "void: another input"
        assert hook.process.poll() is None


OTHERWISE: dict[str, Object] = {
    "narrower suggestions": {"suggestions": [{**RULE, "rules": [{"toolName": "Bash", "ruleContent": "ls"}]}]},
    "suggestions in another order": {"suggestions": [MODE, RULE]},
    "another folder": {"cwd": "/tmp"},
    "another mode": {"permission_mode": "plan"},
    "another plan": {"transcript_path": "/home/user/other.jsonl"},
    "another agent's name": {"agent_type": "reviewer"},
    "another time": {"at": 1000.0},
}


@pytest.mark.parametrize("how", OTHERWISE)
@pytest.mark.parametrize("decision", [ALLOW, {"kind": "always", "suggestions": [0]}])
def test_a_request_that_was_shown_differently(armed: HookSandbox, how: str, decision: Object) -> None:
    """A yes to what stands in an edited file is none to what the client asked, and to nothing that it offered."""
    with start_asker(armed) as hook:
        rewrite_request(hook, **OTHERWISE[how])
        assert hook.give(decision)
        assert becomes_true(lambda: len(read_answer_log(armed)) == 1)
        assert read_answer_log(armed)[0]["outcome"] == "void: another request was shown"
        assert hook.process.poll() is None


def test_a_planted_request_has_no_hook_to_answer(armed: HookSandbox) -> None:
    request = read_request("Bash", BASH)
    answers.write_new(answers.locate_request(str(armed.root), request["nonce"]), encode(request).encode())
    assert not answers.give_verdict(str(armed.root), request, ALLOW, "app", time.time())
    with start_asker(armed) as hook:  # one that waits for the very same thing is not meant
        assert not answers.give_verdict(str(armed.root), request, ALLOW, "app", time.time())
        hook.wake()
        time.sleep(0.2)
        assert hook.process.poll() is None
        assert answer_sweep.remove_leftovers(hook.root, time.time()) == [request["nonce"]]
        assert list_part(armed, "requests") == [f"{hook.nonce}.json"]


@pytest.mark.parametrize("how", ["link", "copy", "fifo", "folder"])
def test_a_request_replaced_by_another_file_type_ends_the_wait(armed: HookSandbox, tmp_path: Path, how: str) -> None:
    with start_asker(armed) as hook:
        assert hook.request
        path = Path(answers.locate_request(hook.root, hook.nonce))
        data = path.read_bytes()
        os.kill(hook.process.pid, signal.SIGSTOP)
        path.rename(tmp_path / "request")
        if how == "link":
            path.symlink_to(tmp_path / "request")
        elif how == "copy":
            put(path, data)
        elif how == "fifo":
            os.mkfifo(path, 0o600)
        else:
            path.mkdir(0o700)
        os.kill(hook.process.pid, signal.SIGCONT)
        hook.wake()
        assert hook.is_silent(SOON)


@pytest.mark.parametrize("how", ["link", "hard link", "mode", pytest.param("owner", marks=needs_root), "fifo", "huge"])
def test_a_request_that_others_can_access_is_not_read(armed: HookSandbox, tmp_path: Path, how: str) -> None:
    request = read_request("Bash", BASH)
    path = Path(answers.locate_request(str(armed.root), request["nonce"]))
    answers.write_new(str(path), encode(request).encode())
    assert answers.read_request(str(armed.root), request["nonce"]) == request
    if how == "link":
        path.rename(tmp_path / "request")
        path.symlink_to(tmp_path / "request")
    elif how == "hard link":
        (tmp_path / "request").hardlink_to(path)
    elif how == "mode":
        path.chmod(0o644)
    elif how == "owner":
        os.chown(path, 65534, 65534)
    elif how == "fifo":
        path.unlink()
        os.mkfifo(path, 0o600)
    else:
        os.truncate(path, answers.REQUEST_SIZE + 1)
    with pytest.raises(answers.UnsafeError):
        answers.read_request(str(armed.root), request["nonce"])


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"version": True},
        {"nonce": "0" * 32},
        {"secret": "x"},
        {"secret": None},
        {"lease": 3},
        {"at": "now"},
        {"until": float("inf")},
        {"session_id": None},
        {"agent_id": 5},
        {"tool": ["Bash"]},
        {"digest": "0" * 64},
        {"input": [BASH]},
        {"suggestions": {"0": RULE}},
        {"cwd": 1},
    ],
)
def test_a_damaged_request_is_not_shown(armed: HookSandbox, changes: Object) -> None:
    request = read_request("Bash", BASH)
    data = json.dumps({**request, **changes}).encode()
    answers.write_new(answers.locate_request(str(armed.root), request["nonce"]), data)
    with pytest.raises(answers.VoidError):
        answers.read_request(str(armed.root), request["nonce"])


@pytest.mark.parametrize("nonce", ["../lease", "../../sessions/s1", "..", "", "A" * 32, "\0", "/etc/passwd"])
def test_an_invalid_nonce_names_no_file(armed: HookSandbox, nonce: str) -> None:
    with pytest.raises((answers.UnsafeError, answers.VoidError, FileNotFoundError, ValueError)):
        answers.read_request(str(armed.root), nonce)
    with pytest.raises((answers.UnsafeError, answers.VoidError, ValueError)):
        answers.give_verdict(str(armed.root), {**read_request("Bash", BASH), "nonce": nonce}, ALLOW, "app", 1.0)


# --- the FIFO


@pytest.mark.parametrize(
    "how", ["file", "link", "folder", "hard link", "mode", pytest.param("owner", marks=needs_root)]
)
def test_a_file_that_is_not_a_fifo_is_never_written_to(armed: HookSandbox, tmp_path: Path, how: str) -> None:
    with start_asker(armed) as hook:
        request = hook.request
        path = armed.root / "answers" / "wake" / hook.nonce
        victim = tmp_path / "victim"
        put(victim, b"mine")
        if how in ("file", "link", "folder"):
            path.rename(tmp_path / "fifo")
        if how == "file":
            put(path, b"")
        elif how == "link":
            path.symlink_to(victim)
        elif how == "folder":
            path.mkdir(0o700)
        elif how == "hard link":
            (tmp_path / "fifo").hardlink_to(path)
        elif how == "mode":
            path.chmod(0o620)
        else:
            os.chown(path, 65534, 65534)
        with pytest.raises(answers.UnsafeError):
            answers.give_verdict(hook.root, request, ALLOW, "app", time.time())
        assert list_part(armed, "verdicts") == []
        assert victim.read_bytes() == b"mine"
        assert path.is_dir() or path.stat().st_size in (0, 4)
        assert hook.process.poll() is None


@pytest.mark.parametrize("part", ["requests", "wake", "verdicts", ""])
@pytest.mark.parametrize("how", ["link", "mode", pytest.param("owner", marks=needs_root), "file"])
def test_no_hook_asks_in_a_folder_that_others_can_access(
    armed: HookSandbox, tmp_path: Path, part: str, how: str
) -> None:
    folder = armed.root / "answers" / part
    if how == "link":
        folder.rename(tmp_path / "theirs")
        folder.symlink_to(tmp_path / "theirs")
    elif how == "mode":
        folder.chmod(0o755)
    elif how == "owner":
        os.chown(folder, 65534, 65534)
    else:
        folder.rename(tmp_path / "theirs")
        put(folder, b"")
    with start_asker(armed) as hook:
        assert hook.end() == b""
        assert hook.nonce == ""
    assert armed.read_state()["waits"][0]["tool"] == "Bash"
    with pytest.raises((answers.UnsafeError, OSError)):
        answers.prepare_answers(str(armed.root))
    assert [path for path in tmp_path.rglob("theirs/**/*") if path.name != "lease" and path.is_file()] == []


# --- the lease


def asks_no_one(sandbox: HookSandbox) -> bool:
    with start_asker(sandbox) as hook:
        return hook.end(SOON) == b"" and hook.nonce == "" and list_leftovers(sandbox) == []


@pytest.mark.parametrize("age", [-3600, -2.5, 5.5, 3600])
def test_an_expired_lease_and_one_from_the_future(armed: HookSandbox, age: float) -> None:
    os.utime(armed.root / "answers" / "lease", (time.time() - age,) * 2)
    assert asks_no_one(armed)


@needs_root
def test_a_lease_of_another_user(armed: HookSandbox) -> None:
    os.chown(armed.root / "answers" / "lease", 65534, 65534)
    assert asks_no_one(armed)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_lease_that_others_may_read_or_write(armed: HookSandbox, mode: int) -> None:
    (armed.root / "answers" / "lease").chmod(mode)
    assert asks_no_one(armed)


@pytest.mark.parametrize("how", ["link", "hard link"])
def test_a_link_in_place_of_the_lease(armed: HookSandbox, tmp_path: Path, how: str) -> None:
    path = armed.root / "answers" / "lease"
    path.rename(tmp_path / "lease")
    if how == "link":
        path.symlink_to(tmp_path / "lease")
    else:
        path.hardlink_to(tmp_path / "lease")
    assert asks_no_one(armed)


@pytest.mark.parametrize("make", NO_FILES)
def test_a_lease_that_is_not_a_regular_file(armed: HookSandbox, make: Callable[[Path], None]) -> None:
    path = armed.root / "answers" / "lease"
    path.unlink()
    make(path)
    assert asks_no_one(armed)


LEASES: dict[str, Any] = {
    "negative wait": {"wait": -1},
    "no wait": {"wait": 0},
    "huge wait": {"wait": 1e12},
    "a wait longer than the handler's timeout": {"wait": 3601},
    "text for a wait": {"wait": "600"},
    "true for a wait": {"wait": True},
    "null for a wait": {"wait": None},
    "NaN for a wait": {"wait": float("nan")},
    "infinite wait": {"wait": float("inf")},
    "another version": {"version": 2},
    "version true": {"version": True},
    "no id": {"id": None},
    "a path for an id": {"id": "../../x"},
    "text for a pid": {"pid": "7"},
}


@pytest.mark.parametrize("name", LEASES)
def test_an_edited_lease(armed: HookSandbox, name: str) -> None:
    path = armed.root / "answers" / "lease"
    path.write_text(json.dumps({"version": 1, "id": LEASE, "pid": 7, "wait": 600, **LEASES[name]}))
    assert asks_no_one(armed)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b"{" * 4000, b'{"version":1', b"\xff", b"{}" + b" " * 5000]
)
def test_a_damaged_lease(armed: HookSandbox, data: bytes) -> None:
    (armed.root / "answers" / "lease").write_bytes(data)
    assert asks_no_one(armed)


@pytest.mark.parametrize("data", [b'{"version":1}', b"{"])
def test_a_lease_that_is_edited_during_a_wait_ends_it(armed: HookSandbox, data: bytes) -> None:
    with start_asker(armed) as hook:
        (armed.root / "answers" / "lease").write_bytes(data)
        assert hook.give(ALLOW)
        assert hook.end(SOON) == b""
    assert list_answered(armed) == []
    assert read_answer_log(armed)[0]["outcome"] == "void: it came too late"


def test_editing_the_deadline_does_not_extend_the_wait(sandbox: HookSandbox) -> None:
    arm(sandbox, 0.7)
    with start_asker(sandbox) as hook:
        (sandbox.root / "answers" / "lease").write_text(json.dumps({"version": 1, "id": LEASE, "pid": 7, "wait": 3600}))
        assert hook.is_silent(SOON)


# --- the log


@pytest.mark.parametrize("how", ["link", "mode", "folder"])
def test_the_log_is_never_written_through_a_link(armed: HookSandbox, tmp_path: Path, how: str) -> None:
    path, victim = armed.root / "answers" / "log.jsonl", tmp_path / "victim"
    put(victim, b"mine")
    if how == "link":
        path.symlink_to(victim)
    elif how == "mode":
        put(path, b"", 0o644)
    else:
        path.mkdir(0o700)
    with start_asker(armed) as hook:
        assert hook.give(ALLOW)
        assert hook.decision() == {"behavior": "allow"}
    assert victim.read_bytes() == b"mine"
    assert len(list_answered(armed)) == 1
    assert list_leftovers(armed) == []


def test_a_payload_with_a_duplicate_key_is_still_a_request(armed: HookSandbox) -> None:
    """Of a key that stands twice the last one counts, for the person as for the client."""
    raw = json.dumps(make_payload()).replace('"command": "rm -r build"', '"command": "ls", "command": "rm -r build"')
    assert raw.count('"command"') == 2
    assert answers.digest_input(json.loads(raw)["tool_input"]) == answers.digest_input(BASH)
