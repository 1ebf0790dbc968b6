"""Real hook processes that wait for an answer, and the app's side of it."""

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import answers
from tests.support.hook_sandbox import PATH_ONLY, HookSandbox
from tests.support.waiting import PATIENCE

Object = dict[str, Any]
BASH: Object = {"command": "rm -r build", "description": "Remove the build"}
RULE: Object = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "rm -r build"}],
    "behavior": "allow",
    "destination": "session",
}
MODE: Object = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
ASKED: Object = {
    "questions": [
        {"question": "Which colour?", "header": "Colour", "options": [{"label": "Red"}, {"label": "Blue"}]},
        {"question": "Which fruits?", "header": "Fruit", "multiSelect": True, "options": [{"label": "Fig"}]},
    ]
}
ALLOW: Object = {"kind": "allow"}
LEASE = "1" * 32
SOON = 30.0
"""Seconds in which a hook ends that doesn't wait for its whole minute."""
PARTS = ("requests", "wake", "verdicts")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


def make_payload(tool: str = "Bash", given: object = BASH, **fields: Any) -> Object:
    """A PermissionRequest as the client sends it."""
    return {
        "session_id": "s1",
        "transcript_path": "/home/user/.claude/projects/-home-user-work-api/s1.jsonl",
        "cwd": "/home/user/work/api",
        "prompt_id": "p1",
        "permission_mode": "default",
        "hook_event_name": "PermissionRequest",
        "tool_name": tool,
        "tool_input": given,
        "permission_suggestions": [RULE, MODE],
        **fields,
    }


def read_request(tool: str, given: Object, suggestions: object = None, **fields: Any) -> Object:
    """A request as a hook makes it, of session s1."""
    told = {"tool_name": tool, "tool_input": given, "permission_suggestions": suggestions}
    event = {"session_id": "s1", "tool": tool, "hash": "0123456789abcdef", "cwd": "/x", **fields}
    return answers.make_request(told, event, {"id": LEASE, "wait": 60}, 1000.0)


def make_verdict(request: Object, decision: object, /, **changes: Any) -> Object:
    """A verdict with a seal that fits."""
    verdict = {
        "version": 1,
        **{key: request[key] for key in ("nonce", "session_id", "agent_id", "tool", "digest")},
        "request": answers.digest_input(request),
        "by": "app",
        "at": 1001.0,
        "decision": decision,
        **changes,
    }
    return {**verdict, "seal": answers.seal_verdict(request["secret"], verdict)}


class WaitingHook:
    """A hook that waits."""

    def __init__(self, sandbox: HookSandbox, process: subprocess.Popen[bytes], known: set[str]) -> None:
        self.sandbox, self.process = sandbox, process
        self.root = str(sandbox.root)
        self.nonce = ""
        deadline = time.monotonic() + PATIENCE
        while not self.nonce and process.poll() is None and time.monotonic() < deadline:
            fresh = [name for name in list_part(sandbox, "requests") if name not in known and is_written(sandbox, name)]
            self.nonce = fresh[0].removesuffix(".json") if fresh else ""
            time.sleep(0.002)
        self.began = time.monotonic()

    @property
    def request(self) -> Object:
        """As the app reads it, once it is whole."""
        for _ in range(100):
            try:
                return answers.read_request(self.root, self.nonce)
            except answers.VoidError:
                time.sleep(0.005)
        raise AssertionError("no request")

    @property
    def verdict(self) -> Path:
        return self.sandbox.root / "answers" / "verdicts" / f"{self.nonce}.json"

    def give(self, decision: Object, by: str = "app") -> bool:
        return answers.give_verdict(self.root, self.request, decision, by, time.time())

    def wake(self) -> None:
        """Lets the hook look at once; nothing when it has ended."""
        try:
            fifo = os.open(f"{self.root}/answers/wake/{self.nonce}", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return
        os.write(fifo, b"x")
        os.close(fifo)

    def end(self, timeout: float = PATIENCE) -> bytes:
        """What it printed; it must end with 0, with nothing on stderr."""
        out, err = self.process.communicate(timeout=timeout)
        assert (self.process.returncode, err) == (0, b"")
        return out

    def decision(self) -> Object:
        """The decision that it printed."""
        told: Object = json.loads(self.end())
        assert told.keys() == {"hookSpecificOutput"}
        assert told["hookSpecificOutput"].keys() == {"hookEventName", "decision"}
        assert told["hookSpecificOutput"]["hookEventName"] == "PermissionRequest"
        found: Object = told["hookSpecificOutput"]["decision"]
        return found

    def is_silent(self, timeout: float = PATIENCE) -> bool:
        """Whether it ended having printed and recorded nothing, and left no file."""
        out = self.end(timeout)
        return out == b"" and list_leftovers(self.sandbox) == [] and list_answered(self.sandbox) == []


def arm(sandbox: HookSandbox, wait: float = 60) -> None:
    answers.arm(str(sandbox.root), {"version": 1, "id": LEASE, "pid": os.getpid(), "wait": wait})


def renew_lease(sandbox: HookSandbox) -> None:
    assert answers.renew(str(sandbox.root), LEASE)


def list_part(sandbox: HookSandbox, part: str) -> list[str]:
    folder = sandbox.root / "answers" / part
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def is_written(sandbox: HookSandbox, name: str) -> bool:
    """Whether a request holds something: its hook creates the file first, and writes it then."""
    try:
        return (sandbox.root / "answers" / "requests" / name).stat().st_size > 0
    except FileNotFoundError:
        return False


def list_leftovers(sandbox: HookSandbox) -> list[str]:
    return [f"{part}/{name}" for part in PARTS for name in list_part(sandbox, part)]


def list_answered(sandbox: HookSandbox) -> list[Object]:
    """The events that say that a person answered."""
    return [event for event in sandbox.read_events() if event["event"] == "Answered"]


def read_answer_log(sandbox: HookSandbox) -> list[Object]:
    path = sandbox.root / "answers" / "log.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def make_answer_command(sandbox: HookSandbox) -> list[str]:
    return [*sandbox.make_command(), "--answers"]


@contextmanager
def start_asker(sandbox: HookSandbox, given: Object | None = None, **environ: str) -> Iterator[WaitingHook]:
    """A hook that asks, and is waited for until its request is there or it has ended."""
    known = set(list_part(sandbox, "requests"))
    process = subprocess.Popen(
        make_answer_command(sandbox),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PATH_ONLY | environ,
    )
    try:
        assert process.stdin
        process.stdin.write(json.dumps(given or make_payload()).encode())
        process.stdin.close()
        process.stdin = None
        yield WaitingHook(sandbox, process, known)
    finally:
        process.kill()
        process.communicate()


def becomes_true(true: Callable[[], bool], seconds: float = PATIENCE, sandbox: HookSandbox | None = None) -> bool:
    """Whether it becomes true in time; a lease is kept alive meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true():
            return True
        if sandbox:
            renew_lease(sandbox)
        time.sleep(0.02)
    return True if true() else False  # noqa: SIM210


def put(path: Path, data: bytes, mode: int = 0o600) -> None:
    path.touch(0o600)
    path.write_bytes(data)
    path.chmod(mode)


def make_fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def make_empty_folder(path: Path) -> None:
    path.mkdir(0o700)


def make_full_folder(path: Path) -> None:
    path.mkdir(0o700)
    put(path / "x", b"x")


def make_socket(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(path.name)
        path.chmod(0o600)
    finally:
        os.chdir(here)
        os.close(here)


NO_FILES = [make_fifo, make_empty_folder, make_full_folder, make_socket]
