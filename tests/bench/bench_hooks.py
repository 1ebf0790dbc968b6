"""What a hook costs each tool call: wall time of the real process, as a ratio to a bare interpreter on the same machine.

It runs from a copy that the installer made, as Claude Code runs it.

With --answers in the command and no armed app, a hook should take no longer than without it.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atm_hooks import answers, journal, statefile
from atm_tui.settings.hookfiles import copy_hooks
from tests.bench.options import Options
from tests.bench.row import Aim, Row, summarize
from tests.hooks.fat import make_fat_state

PYTHON = os.path.realpath(sys.executable)


def make_payload(kind: str, session: str, number: int, size: int) -> bytes:
    """What the client sends of a Bash call, with so many characters of output."""
    data: dict[str, Any] = {
        "session_id": session,
        "transcript_path": f"/home/user/.claude/projects/-home-user-work-api/{session}.jsonl",
        "cwd": "/home/user/work/api",
        "prompt_id": "10f2d750-0000-4000-8000-000000000000",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": kind,
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q tests/model", "description": "Run the tests of the model"},
        "tool_use_id": f"toolu_{number:024}",
    }
    if kind == "PostToolUse":
        data["tool_response"] = {"stdout": "line of output\n" * (size // 16), "stderr": "", "interrupted": False}
        data["duration_ms"] = 1234
    return json.dumps(data).encode()


def make_request(number: int) -> bytes:
    """What the client sends when it asks for permission."""
    return make_payload("PermissionRequest", "asked", number, 0)


def measure_waiting(root: str, hook_file: Path, seconds: float) -> tuple[float, float]:
    """Returns the processor seconds of a hook that waits for an answer: to begin and to end, and of each second between."""
    lease = answers.make_id()
    over = threading.Event()
    answers.arm(root, {"version": 1, "id": lease, "pid": os.getpid(), "wait": 3600})

    def beat() -> None:
        while not over.wait(1):
            answers.renew(root, lease)

    threading.Thread(target=beat, daemon=True).start()

    def measure(pause: float) -> float:
        hook = subprocess.Popen([PYTHON, "-I", "-S", str(hook_file), root, "--answers"], stdin=subprocess.PIPE)
        assert hook.stdin
        hook.stdin.write(make_request(0))
        hook.stdin.close()
        time.sleep(1 + pause)
        (request,) = Path(root, "answers", "requests").iterdir()
        answers.withdraw_request(root, request.stem)
        spent = os.wait4(hook.pid, 0)[2]
        return spent.ru_utime + spent.ru_stime

    short, long = measure(0), measure(seconds)
    over.set()
    answers.disarm(root, lease)
    return short, max(0.0, long - short) / seconds


def make_sample(number: int) -> bytes:
    """What the client sends to its statusLine command."""
    cost = {"total_cost_usd": number / 100, "total_duration_ms": number}
    return json.dumps({"session_id": "plain", "cost": cost, "model": {"id": "m", "display_name": "M"}}).encode()


@dataclass(frozen=True)
class Case:
    """A command, its stdin by number, and the highest ratio that is wanted."""

    name: str
    command: list[str]
    make_input: Callable[[int], bytes]
    most: float | None = None
    in_shell: bool = False
    """Whether it is compared with a bare interpreter that a shell starts."""


def time_process(command: list[str], given: bytes, environ: dict[str, str]) -> float:
    """Returns the seconds that a process takes."""
    began = time.perf_counter()
    subprocess.run(command, input=given, stdout=subprocess.DEVNULL, env=environ, check=True)
    return time.perf_counter() - began


def list_cases(root: str, package: Path, kilobytes: int) -> list[Case]:
    """Returns what is measured of an installed package. `kilobytes`: size of the state file of a session of months."""
    hook = [PYTHON, "-I", "-S", str(package / "hook.py"), root]

    def after(session: str, size: int) -> Callable[[int], bytes]:
        return lambda number: make_payload("PostToolUse", session, number, size)

    installed = wrap_in_shell(hook)
    return [
        Case("PreToolUse", hook, lambda number: make_payload("PreToolUse", "plain", number, 0), 1.3),
        Case("PostToolUse of 1 kB", hook, after("plain", 1000), 1.3),
        Case("PostToolUse of 50 kB", hook, after("plain", 50_000), 2.0),
        Case("PostToolUse of 1 kB, as installed", installed, after("plain", 1000), 1.3, in_shell=True),
        Case(f"PostToolUse of 1 kB, a state of {kilobytes} kB", hook, after("months", 1000), 1.45),
        Case(f"PostToolUse of 50 kB, a state of {kilobytes} kB", hook, after("months", 50_000), 2.0),
        Case("PreToolUse, --tmux", [*hook, "--tmux"], lambda number: make_payload("PreToolUse", "tmux", number, 0)),
        Case("PermissionRequest", hook, make_request),
        Case("PermissionRequest, --answers, but not armed", [*hook, "--answers"], make_request),
        Case("statusLine, a new sample", [PYTHON, "-I", "-S", str(package / "statusline.py"), root], make_sample, 1.6),
    ]


def wrap_in_shell(command: list[str]) -> list[str]:
    """Returns a command as it stands in the settings."""
    return ["/bin/sh", "-c", f"{shlex.join(command)} 2>/dev/null || true"]


def measure(options: Options) -> Iterator[Row]:
    """Measures each case in turn with a bare interpreter, then a hook that waits."""
    environ = {"PATH": "/usr/bin:/bin", "CLAUDE_PID": str(os.getpid()), "TMUX": "/nowhere,1,0", "TMUX_PANE": "%1"}
    bare = [PYTHON, "-I", "-S", "-c", "pass"]
    with tempfile.TemporaryDirectory() as folder:
        root = f"{folder}/state"
        package = Path(folder, "data/hooks/atm_hooks")
        copy_hooks(package, Path(PYTHON))
        cases = list_cases(root, package, write_state_of_months(root) // 1000)
        times: dict[str, list[float]] = {case.name: [] for case in cases}
        bases: dict[bool, list[float]] = {False: [], True: []}
        for number in range(-2, options.hook_runs):  # the first two warm up
            for in_shell, command in ((False, bare), (True, wrap_in_shell(bare))):
                took = 1e3 * time_process(command, b"", environ)
                bases[in_shell] += [took] * (number >= 0)
            for case in cases:
                took = 1e3 * time_process(case.command, case.make_input(number), environ)
                times[case.name] += [took] * (number >= 0)
        for case in cases:
            aim, reference = None if case.most is None else Aim(case.most), "bare interpreter"
            yield summarize(case.name, times[case.name], "ms", bases[case.in_shell], reference=reference, aim=aim)
        _, each_second = measure_waiting(root, package / "hook.py", options.wait_seconds)
        yield Row("a hook that waits for an answer: share of a core", 100 * each_second, "%", aim=Aim(0.1, "figure"))


def write_state_of_months(root: str) -> int:
    """Writes the state file of a session that has been used for months; returns its size in bytes."""
    journal.prepare_folders(root)
    state = make_fat_state(400, "months") | {"journal": {"generation": 1, "offset": 29}}
    journal._replace_state(root, "months", statefile.dump(state, {}, {}))
    Path(journal.locate_journal(root, "months")).write_text('{"journal":1,"generation":1}\n')
    return Path(journal.locate_state(root, "months")).stat().st_size
