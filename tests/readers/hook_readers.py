"""Feeds of what the hooks read: their stdin, the files of a session, and those by which answers go."""

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from atm_hooks import (
    answer_log,
    answer_sweep,
    answer_wait,
    answers,
    branch,
    hook_command,
    journal,
    line_settings,
    panes,
    statusline_command,
    verdict,
)
from atm_hooks.journal import UnsafeError
from atm_hooks.lease import find_lease, remove_lease, renew
from atm_hooks.verdict import VoidError
from atm_tui.sources.answers import AnswerSource, read_log
from atm_tui.view.answer_log import format_answer
from tests.readers.recorded import ASKED, EVENTS, HOOKS, SAMPLES, pick
from tests.readers.rendering import render_request
from tests.readers.table import ReaderSandbox, feeds
from tests.support.damage import ODD, damage_lines, damage_value
from tests.support.full_home import LEASE, SESSION, write


@contextmanager
def _run_as_hook(sandbox: ReaderSandbox, stdin: bytes) -> Iterator[None]:
    """Stdin is that of a hook, stdout leads nowhere, and what a hook changes of its process is put back."""
    path = sandbox.folder / "stdin"
    path.write_bytes(stdin)
    kept = [os.dup(number) for number in (0, 1)]
    given, nowhere = os.open(path, os.O_RDONLY), os.open(os.devnull, os.O_WRONLY)
    umask, timer = os.umask(0o077), signal.getitimer(signal.ITIMER_REAL)
    try:
        os.dup2(given, 0)
        os.dup2(nowhere, 1)
        yield
    finally:
        for number, before in enumerate(kept):
            os.dup2(before, number)
        for each in (*kept, given, nowhere):
            os.close(each)
        os.umask(umask)
        signal.setitimer(signal.ITIMER_REAL, *timer)


def _read_verdict_of_log(sandbox: ReaderSandbox) -> str:
    """What the hook logged. Raises AssertionError for anything but a refusal: it is a fault that the hook caught."""
    path = sandbox.state / "hook.log"
    lines = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    texts = [line.partition(" ")[2] for line in lines]
    assert all(text.startswith(("refused: ", "the state of ")) for text in texts), texts
    return "refused and logged" if any(text.startswith("refused") for text in texts) else "recorded"


@feeds("atm_hooks.hook_command:run", fed="stdin of a hook")
def feed_hook_stdin(sandbox: ReaderSandbox, dice: random.Random) -> str:
    with _run_as_hook(sandbox, damage_lines([dice.choice(HOOKS)], dice).strip()):
        hook_command.run(["hook.py", str(sandbox.state)], time.time())
    return _read_verdict_of_log(sandbox)


@feeds(
    "atm_hooks.statusline_command:read_sample",
    "atm_hooks.journal:has_damaged_state",
    fed="stdin of the statusLine, and the state file beneath it",
)
def feed_statusline_stdin(sandbox: ReaderSandbox, dice: random.Random) -> str:
    sample = {**dice.choice(SAMPLES), "session_id": SESSION}
    state = json.loads(sandbox.good["state"])
    write(sandbox.places["state"], dice.choice([sandbox.good["state"], json.dumps(damage_value(state, dice)), "{"]))
    with _run_as_hook(sandbox, damage_lines([sample], dice).strip()):
        statusline_command.run(str(sandbox.state), [], time.time())
    return _read_verdict_of_log(sandbox)


@feeds(
    "atm_hooks.line_settings:_parse",
    "atm_hooks.line_settings:_read_kept",
    fed="the configuration, and what is kept of it",
)
def feed_line_settings(sandbox: ReaderSandbox, dice: random.Random) -> str:
    lines = dice.sample(['statusline = ["cost"]', "ascii = true", "context_thresholds = [1, 2, 3]", "x = ["], 2)
    config = write(sandbox.folder / "line.toml", "\n".join(lines))
    kept = sandbox.state / "statusline.json"
    kept.unlink(missing_ok=True)
    line_settings.load_line_settings(str(sandbox.state), str(config))
    write(kept, damage_lines([json.loads(kept.read_text())], dice))
    found = line_settings.load_line_settings(str(sandbox.state), str(config))
    assert set(found) <= {"segments", "thresholds", "ascii"}
    return "settings" if found else "defaults"


@feeds("atm_hooks.branch:_read_line", fed="HEAD and the link of a worktree")
def feed_branch(sandbox: ReaderSandbox, dice: random.Random) -> str:
    tree = sandbox.folder / "tree"
    head = write(tree / "git" / "HEAD", damage_lines([dice.choice(ODD), "ref: refs/heads/main"], dice))
    write(tree / ".git", dice.choice([f"gitdir: {head.parent}\n", "gitdir: git", "gitdir:", "\0", "gitdir: /dev"]))
    return "a branch" if branch.read_branch(str(tree)) else "none"


@feeds(
    "atm_hooks.journal:_load_with_lines",
    "atm_hooks.journal:_read_lines",
    "atm_hooks.journal:_fold_new",
    "atm_hooks.journal:_append_without_lock",
    "atm_hooks.journal:load_newer_state",
    fed="state file and both journals, under a hook that records",
)
def feed_recording_hook(sandbox: ReaderSandbox, dice: random.Random) -> str:
    write(sandbox.places["state"], damage_lines([json.loads(sandbox.good["state"])], dice))
    write(sandbox.places["journal"], damage_lines(pick(EVENTS, dice), dice))
    write(sandbox.places["old journal"], damage_lines(pick(EVENTS, dice), dice))
    event = dice.choice(EVENTS)
    panes.build_options(event)
    if dice.random() < 0.1:
        lock = sandbox.state / "locks" / f"{SESSION}.lock"
        with lock.open("w") as held:
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX)
            assert not journal.record_event(str(sandbox.state), event, 0.0)
        return "appended without the lock"
    if journal.load_newer_state(str(sandbox.state), SESSION):
        assert not journal.record_event(str(sandbox.state), event)
        return "left to a newer version"
    assert journal.record_event(str(sandbox.state), event)
    state = journal.load_state(str(sandbox.state), SESSION)
    assert state is not None
    return "recorded"


@feeds("atm_hooks.lease:read_lease", fed="answers/lease")
def feed_lease(sandbox: ReaderSandbox, dice: random.Random) -> str:
    held = {"version": 1, "id": LEASE, "pid": os.getpid(), "wait": 600}
    path = write(sandbox.places["lease"], damage_lines([held], dice))
    at = dice.choice([time.time(), time.time() - 60, time.time() + 60, 0.0, 2**40])
    os.utime(path, (at, at))
    root = str(sandbox.state)
    found = find_lease(root, time.time())
    for use in (
        lambda: renew(root, LEASE),
        lambda: answer_sweep.remove_leftovers(root, time.time()),
        lambda: remove_lease(root, LEASE),
    ):
        with suppress(UnsafeError):  # longer than any lease
            use()
    return "a lease" if found else "no lease"


@feeds(
    "atm_hooks.answers:read_request", "atm_hooks.answers:_exists", fed="a request file, with a hook that waits for it"
)
def feed_request(sandbox: ReaderSandbox, dice: random.Random) -> str:
    request = _make_request(sandbox, dice)
    path = sandbox.state / "answers/requests" / f"{request['nonce']}.json"
    write(path, damage_lines([damage_value(request, dice) if dice.random() < 0.3 else request], dice))
    fifo = sandbox.state / "answers/wake" / request["nonce"]
    os.mkfifo(fifo, 0o600)
    waiting = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    try:
        source = AnswerSource(sandbox.state)
        source.refresh()
        source.list_open_requests({}, sandbox.now, withdraws=False)
        for each in source.requests.values():
            render_request(each, sandbox.now, dice.choice([40, 120]))
        if found := source.requests.get(request["nonce"]):
            answers.give_verdict(str(sandbox.state), request, {"kind": "deny"}, "app", 1.0)
        (sandbox.state / "answers/verdicts" / path.name).unlink(missing_ok=True)
    finally:
        os.close(waiting)
        fifo.unlink()
        path.unlink()
    return "shown" if found else "refused, with a notice" if path.name in source.refused else "still being written"


def _make_request(sandbox: ReaderSandbox, dice: random.Random) -> dict[str, Any]:
    """A request as a hook makes it of what the client asks, damaged or not."""
    asked = dice.choice(ASKED)
    if dice.random() < 0.5:
        asked = {**asked, "tool_input": damage_value(asked["tool_input"], dice)}
    if dice.random() < 0.3:
        asked = {**asked, "permission_suggestions": damage_value(asked.get("permission_suggestions"), dice)}
    event = {**sandbox.asked, "tool": asked["tool_name"]}
    held = {"id": LEASE, "wait": 60}
    try:
        return answers.make_request(asked, event, held, sandbox.now)
    except VoidError:
        return answers.make_request(dice.choice(ASKED[:1]), {**event, "tool": ASKED[0]["tool_name"]}, held, sandbox.now)


@feeds("atm_hooks.answer_wait:_read_verdict", fed="a verdict, under a hook that waits for it")
def feed_verdict(sandbox: ReaderSandbox, dice: random.Random) -> str:
    request = _make_request(sandbox, dice)
    kind = dice.choice(["allow", "deny", "always", "answer", "approve"])
    decision = {"kind": kind, "message": "no", "suggestions": [0], "answers": {"q": "a"}}
    told = {key: decision[key] for key in verdict.KINDS[kind] if key in decision}
    given = {
        "version": 1,
        "by": "app",
        "at": 1.0,
        "decision": told,
        "request": answers.digest_input(request),
        **{key: request[key] for key in ("nonce", "session_id", "agent_id", "tool", "digest")},
    }
    for _ in range(dice.choice([0, 0, 1, 2])):
        given = damage_value(given, dice)
    try:
        given = {**given, "seal": answers.seal_verdict(request["secret"], given)}
    except (VoidError, TypeError):
        given = damage_value({"seal": ""}, dice)
    name = f"{request['nonce']}.json"
    write(
        sandbox.state / "answers/verdicts" / name,
        damage_lines([given], dice) if dice.random() < 0.5 else json.dumps(given),
    )
    event = {"session_id": SESSION, "tool": request["tool"], "pid": None}
    wait = answer_wait.Wait(str(sandbox.state), request, event, 1.0)
    found = wait._take_verdict()
    return "an answer" if found else "void, and logged"


@feeds(
    "atm_hooks.answer_log:read_lines",
    "atm_hooks.answer_log:_open_locked",
    "atm_hooks.answer_log:_remove_from",
    fed="the log of answers, both generations",
)
def feed_answer_log(sandbox: ReaderSandbox, dice: random.Random) -> str:
    line = {
        "at": 1.0,
        "nonce": "ab" * 16,
        "session_id": SESSION,
        "tool": "Bash",
        "summary": "npm test",
        "after": 1.0,
        "decision": "allow",
        "message": "",
        "by": "app",
        "outcome": "given",
        "agent_id": None,
    }
    write(sandbox.places["log of answers"], damage_lines([line, line, line], dice))
    write(sandbox.places["old log of answers"], damage_lines([line, line], dice))
    found = answer_log.read_lines(str(sandbox.state))
    for each in found:
        format_answer(each)
    assert len(read_log(str(sandbox.state))) == len(found)
    answer_log.append_line(str(sandbox.state), line)
    assert answer_log.read_lines(str(sandbox.state))[-1] == line
    assert answer_log.remove_lines(str(sandbox.state), frozenset({SESSION})) > 0
    assert line not in answer_log.read_lines(str(sandbox.state))
    return f"{min(len(found), 9)} lines"


NAMES = [
    each for each in ODD if isinstance(each, str) and each.isprintable() and "/" not in each and 0 < len(each) < 200
]


@feeds("atm_hooks.answers:_open_fifo", fed="names and kinds of what lies in the folders of answers")
def feed_answers_folder(sandbox: ReaderSandbox, dice: random.Random) -> str:
    made = []
    for part in ("requests", "wake", "verdicts", ""):
        name = dice.choice([*NAMES, "ab" * 16, f"{'cd' * 16}.json", "lease.x.new", f"{LEASE}.json"])
        path = sandbox.state / "answers" / part / name
        kind = dice.choice(["file", "folder", "full folder", "link", "fifo"])
        if path.exists() or path.is_symlink():
            continue
        if kind == "file":
            write(path, dice.choice([b"", b"x", b"{}"]))
        elif kind == "link":
            path.symlink_to(dice.choice(["/dev/zero", name, "/"]))
        elif kind == "fifo":
            os.mkfifo(path, dice.choice([0o600, 0o644]))
        else:
            path.mkdir(mode=0o700)
        if kind == "full folder":
            write(path / "x", "x")
        made.append(path)
    source = AnswerSource(sandbox.state)
    source.refresh()
    gone = answer_sweep.remove_leftovers(str(sandbox.state), time.time() + dice.choice([0, 100]))
    left = [path for path in made if path.exists() or path.is_symlink()]
    for path in left:
        _remove(path)
    return "removed all" if not left else "left some alone" if gone or len(left) < len(made) else "left all alone"


def _remove(path: Path) -> None:
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    for each in path.iterdir():
        each.unlink()
    path.rmdir()
