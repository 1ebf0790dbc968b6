"""What a hook costs each tool call: wall time of the real process, as a ratio to a bare interpreter on the same machine.

usage: python tests/bench/bench_hook.py [--runs 60] [--wait 25]

Aims: 1.5 for an ordinary payload, 2.0 for one of 50 kB; also with the state file of a session of months. With --answers
in the command and no armed app the same as without it. A hook that waits for an answer: under 0.1 % of a core.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import atm_hooks
from atm_hooks import answers, journal, statefile

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.hooks.fat import fat_state

PYTHON = os.path.realpath(sys.executable)
HOOK = Path(atm_hooks.__file__).parent / "hook.py"
STATUSLINE = HOOK.with_name("statusline.py")


def payload(kind: str, session: str, number: int, size: int) -> bytes:
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


def asked(number: int) -> bytes:
    """What the client sends when it asks for permission."""
    return payload("PermissionRequest", "asked", number, 0)


def waiting(root: str, seconds: float) -> tuple[float, float]:
    """CPU seconds, in the hook alone, of starting to wait and ending, and of a second of waiting between."""
    held = {"version": 1, "id": answers.make_id(), "pid": os.getpid(), "wait": 3600}
    over = threading.Event()
    answers.arm(root, held)

    def beat() -> None:
        while not over.wait(1):
            answers.renew(root, held["id"])

    threading.Thread(target=beat, daemon=True).start()

    def used(pause: float) -> float:
        hook = subprocess.Popen([PYTHON, "-I", "-S", str(HOOK), root, "--answers"], stdin=subprocess.PIPE)
        assert hook.stdin
        hook.stdin.write(asked(0))
        hook.stdin.close()
        time.sleep(1 + pause)
        (request,) = Path(root, "answers", "requests").iterdir()
        answers.withdraw_request(root, request.stem)
        spent = os.wait4(hook.pid, 0)[2]
        return spent.ru_utime + spent.ru_stime

    short, long = used(0), used(seconds)
    over.set()
    answers.disarm(root, held["id"])
    return short, (long - short) / seconds


def sample(number: int) -> bytes:
    cost = {"total_cost_usd": number / 100, "total_duration_ms": number}
    return json.dumps({"session_id": "plain", "cost": cost, "model": {"id": "m", "display_name": "M"}}).encode()


def seconds(command: list[str], given: bytes, environ: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, input=given, stdout=subprocess.DEVNULL, env=environ, check=True)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument(
        "--wait", type=float, default=25, metavar="SECONDS", help="how long a hook is watched that waits"
    )
    args = parser.parse_args()
    runs = args.runs
    with tempfile.TemporaryDirectory() as folder:
        root = f"{folder}/state"
        journal.prepare_folders(root)
        fat = fat_state(400, "fat") | {"journal": {"generation": 1, "offset": 29}}
        journal._replace_state(root, "fat", statefile.dump(fat, {}, {}))
        Path(journal.locate_journal(root, "fat")).write_text('{"journal":1,"generation":1}\n')
        size = Path(journal.locate_state(root, "fat")).stat().st_size
        bare, hook = [PYTHON, "-I", "-S", "-c", "pass"], [PYTHON, "-I", "-S", str(HOOK), root]
        installed = ["/bin/sh", "-c", f"{shlex.join(hook)} 2>/dev/null || true"]
        wrap = [PYTHON, "-I", "-S", str(STATUSLINE), root]
        cases = {
            "bare interpreter": (bare, lambda n: b""),
            "sh -c, bare interpreter": (["/bin/sh", "-c", f"{shlex.join(bare)} 2>/dev/null || true"], lambda n: b""),
            "PreToolUse": (hook, lambda n: payload("PreToolUse", "plain", n, 0)),
            "PostToolUse, 1 kB": (hook, lambda n: payload("PostToolUse", "plain", n, 1000)),
            "PostToolUse, 50 kB": (hook, lambda n: payload("PostToolUse", "plain", n, 50_000)),
            "PostToolUse, 1 kB, as installed (sh -c)": (installed, lambda n: payload("PostToolUse", "plain", n, 1000)),
            "PostToolUse, 50 kB, as installed (sh -c)": (
                installed,
                lambda n: payload("PostToolUse", "plain", n, 50_000),
            ),
            f"PostToolUse, 1 kB, state of {size // 1000} kB": (hook, lambda n: payload("PostToolUse", "fat", n, 1000)),
            f"PostToolUse, 50 kB, state of {size // 1000} kB": (
                hook,
                lambda n: payload("PostToolUse", "fat", n, 50_000),
            ),
            "PermissionRequest": (hook, asked),
            "PermissionRequest, --answers, nobody armed": ([*hook, "--answers"], asked),
            "statusLine, a new sample": (wrap, sample),
        }
        environ = {"PATH": "/usr/bin:/bin", "CLAUDE_PID": str(os.getpid())}
        times: dict[str, list[float]] = {name: [] for name in cases}
        for number in range(-2, runs):  # the first two only warm up
            for name, (command, given) in cases.items():
                took = seconds(command, given(number), environ)
                if number >= 0:
                    times[name].append(took)
        began, each_second = waiting(root, args.wait)
    base = {
        False: statistics.median(times["bare interpreter"]),
        True: statistics.median(times["sh -c, bare interpreter"]),
    }
    for name, each in times.items():
        median, ninety = statistics.median(each), sorted(each)[int(len(each) * 0.9)]
        ratio = median / base["sh -c" in name]
        print(f"{name:44} median {median * 1000:6.2f} ms   90 % {ninety * 1000:6.2f} ms   ratio {ratio:.2f}")
    print(f"waiting for an answer: {each_second:.4%} of a core, and {began * 1000:.0f} ms of it to begin and to end")


if __name__ == "__main__":
    main()
