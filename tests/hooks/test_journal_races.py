"""Many real processes at once, and processes killed at any moment: no event is lost, no file is torn."""

import json
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from atm_hooks import journal
from atm_hooks.fold import fold_all
from tests.support.effort import LONG
from tests.support.hook_sandbox import PATH_ONLY, HookSandbox
from tests.support.waiting import PATIENCE


def make_tool_payload(number: int, session: str = "s1") -> bytes:
    call = {"tool_name": "Bash", "tool_use_id": f"t{number}", "tool_input": {"command": f"echo {number}"}}
    return json.dumps({"session_id": session, "hook_event_name": "PostToolUse", **call}).encode()


def fold_journal(sandbox: HookSandbox, session: str) -> dict[str, Any]:
    """What the state file must hold: the journal, folded in its order."""
    state = fold_all(None, sandbox.read_events(session))
    return json.loads(json.dumps(state)) | {"journal": sandbox.read_state(session)["journal"]}


MANY = 200 if LONG else 48


def test_many_hooks_16_at_a_time(sandbox: HookSandbox) -> None:
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: sandbox.send_hook(make_tool_payload(number)), range(MANY)))
    # On a busy machine the last hook may not get the lock in time: the next one folds what it appended.
    sandbox.send_hook(make_tool_payload(MANY))
    assert sandbox.read_state()["tools_used"] == {"Bash": MANY + 1}
    assert sorted(event["tool_use_id"] for event in sandbox.read_events()) == sorted(
        f"t{number}" for number in range(MANY + 1)
    )
    assert sandbox.read_state() == fold_journal(sandbox, "s1")
    assert all("is folded with the next event" in line for line in sandbox.read_log().splitlines()), sandbox.read_log()
    assert list((sandbox.root / "tmp").iterdir()) == []


def test_the_very_first_hooks_at_the_same_time(sandbox: HookSandbox) -> None:
    for turn in range(10):
        fresh = HookSandbox(sandbox.root / str(turn) / "state")
        start = {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"}
        prompt = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "go"}
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(fresh.send_hook, (start, prompt)))
        assert sorted(event["event"] for event in fresh.read_events()) == ["SessionStart", "UserPromptSubmit"]
        assert fresh.read_state() == fold_journal(fresh, "s1")


EACH = 50 if LONG else 9
"""Hooks that are killed in each of ten parts."""


def test_hooks_killed_at_any_moment(sandbox: HookSandbox) -> None:
    chance = random.Random(7)
    sessions = [f"s{number}" for number in range(4)]
    sandbox.send_hook(make_tool_payload(-1, sessions[0]))
    began = time.perf_counter()
    for number in range(5):
        sandbox.send_hook(make_tool_payload(-2 - number, sessions[0]))
    life = (time.perf_counter() - began) / 5

    def kill(job: tuple[int, float]) -> int:
        number, delay = job
        process = subprocess.Popen(
            sandbox.make_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=PATH_ONLY
        )
        assert process.stdin is not None
        process.stdin.write(make_tool_payload(number, sessions[number % 4]))
        process.stdin.close()
        process.stdin = None
        time.sleep(delay)
        process.kill()
        assert process.communicate() == (b"", b"")
        return process.returncode

    codes: list[int] = []
    told, reach, part = 6, life, 0
    while part < 10 or (
        part < 60 and not (codes.count(-9) > EACH and EACH // 2 < told - 6 - 4 * part < EACH * (part - 1))
    ):
        jobs = [(part * EACH + number, chance.uniform(0, reach)) for number in range(EACH)]
        with ThreadPoolExecutor(4) as pool:
            ended = list(pool.map(kill, jobs))
        codes += ended
        for session in sessions:
            path = sandbox.root / "sessions" / f"{session}.json"
            if path.exists():
                assert json.loads(path.read_text())["session_id"] == session
            sandbox.send_hook(make_tool_payload(10_000 + part, session))
            assert sandbox.read_state(session) == fold_journal(sandbox, session)
            ids = {event["tool_use_id"] for event in sandbox.read_events(session)}
            assert sandbox.read_state(session)["tools_used"] == {"Bash": len(ids)}
        before, told = told, sum(len(sandbox.read_events(session)) for session in sessions)
        # under load a process lives longer: some should get as far as the journal, and some be killed before their end
        if ended.count(-9) < EACH // 3:
            reach *= 0.6
        elif told - before - 4 < EACH // 3:
            reach *= 1.5
        part += 1
    assert set(codes) <= {0, -9}
    assert codes.count(-9) > EACH, "hardly one was killed: the delays are too long"
    assert EACH // 2 < told - 6 - 4 * part < EACH * (part - 1), "all or none got as far as the journal"
    assert len(list((sandbox.root / "tmp").iterdir())) <= 4


def test_a_real_rotation(sandbox: HookSandbox) -> None:
    root = str(sandbox.root)
    journal.prepare_folders(root)
    summary, number = "x" * 1900, 0
    path = sandbox.root / "journal" / "s1.jsonl"
    while not path.exists() or path.stat().st_size <= journal.ROTATE_SIZE:
        event = {"at": 1000.0 + number, "session_id": "s1", "event": "PostToolUse", "tool": "Bash", "summary": summary}
        journal.record_event(root, {**event, "tool_use_id": f"t{number}"})
        number += 1
    sandbox.send_hook(make_tool_payload(number))
    assert path.stat().st_size < 1000
    assert path.with_name("s1.jsonl.1").stat().st_size > journal.ROTATE_SIZE
    assert sandbox.read_state()["tools_used"] == {"Bash": number + 1}
    (sandbox.root / "sessions" / "s1.json").unlink()
    sandbox.send_hook(make_tool_payload(number + 1))
    assert sandbox.read_state()["tools_used"] == {"Bash": number + 2}


def test_a_lock_that_is_held_for_too_long(sandbox: HookSandbox) -> None:
    sandbox.send_hook(make_tool_payload(1))
    holder = journal.take_lock(f"{sandbox.root}/locks/s1.lock", 0)
    assert holder is not None
    try:
        began = time.monotonic()
        sandbox.send_hook(make_tool_payload(2))
        waited = time.monotonic() - began
    finally:
        journal.posix.close(holder)
    assert journal.LOCK_SECONDS <= waited < journal.LOCK_SECONDS + PATIENCE
    assert sandbox.read_state()["tools_used"] == {"Bash": 1}
    assert "PostToolUse is folded with the next event" in sandbox.read_log()
    sandbox.send_hook(make_tool_payload(3))
    assert sandbox.read_state()["tools_used"] == {"Bash": 3}
    assert sandbox.read_state() == fold_journal(sandbox, "s1")


IMPATIENT = """
import sys
from atm_hooks import journal
journal.ROTATE_SIZE = 2000
root, who, count = sys.argv[1:]
for number in range(int(count)):
    event = {"at": 1000.0 + number, "session_id": "s1", "event": "PostToolUse", "tool": "Bash", "tool_use_id": f"{who}-{number}"}
    journal.record_event(root, event, patience=0.05 * (number % 3))
"""


def test_appends_with_and_without_the_lock_race_with_rotations(sandbox: HookSandbox) -> None:
    journal.prepare_folders(str(sandbox.root))
    count = 150 if LONG else 60
    words = [sys.executable, "-c", IMPATIENT, str(sandbox.root)]
    workers = [subprocess.Popen([*words, str(who), str(count)]) for who in range(4)]
    assert [worker.wait() for worker in workers] == [0] * 4
    sandbox.send_hook(make_tool_payload(0))
    assert sandbox.read_state()["tools_used"] == {"Bash": 4 * count + 1}
    assert sandbox.read_state()["journal"]["generation"] > 5


def test_an_append_without_the_lock_waits_for_the_header(sandbox: HookSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rotation leaves the new journal empty for a moment; an event in front of its header would hide the generation."""
    root = str(sandbox.root)
    journal.prepare_folders(root)
    path = Path(journal.locate_journal(root, "s1"))
    header = b'{"journal":1,"generation":7}\n'
    path.touch()
    monkeypatch.setattr(time, "sleep", lambda _: path.stat().st_size or path.write_bytes(header))
    holder = journal.take_lock(journal.locate_lock(root, "s1"), 0)
    assert holder is not None
    event = {"at": 1000.0, "session_id": "s1", "event": "PostToolUse", "tool": "Bash", "tool_use_id": "t1"}
    try:
        assert not journal.record_event(root, event, patience=0)
    finally:
        journal.posix.close(holder)
    assert path.read_bytes().startswith(header)
    assert journal.record_event(root, {**event, "at": 1001.0, "tool_use_id": "t2"})
    assert sandbox.read_state()["journal"]["generation"] == 7
    assert sandbox.read_state()["tools_used"] == {"Bash": 2}
