"""Speed of the app as a person meets it, on a real pty: start, event to painted row, idle CPU.

usage: python tests/bench/bench_app.py [--sessions 54] [--seconds 30] [--events 300]

Prints ratios and milliseconds of this one run. Nothing is asserted: machines differ.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from pty_screen import Screen, percentile

from atm_hooks import hook, journal, payload

SIZE = (130, 200)
"""Rows and columns: every session has a row in sight."""
BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("READY")
Bare().run()
"""


def event(session: int, kind: str, **given: object) -> bytes:
    known = {
        "session_id": f"bench-{session:03}",
        "cwd": f"/home/user/work/project-{session % 9}",
        "hook_event_name": kind,
        "transcript_path": f"/nowhere/projects/x/bench-{session:03}.jsonl",
        "prompt_id": f"p{session}",
        "permission_mode": "default",
    }
    return json.dumps({**known, **given}).encode()


def fill(state: Path, sessions: int, age: float = 300.0) -> None:
    """Sessions that finished some minutes ago: nothing happens, and their ages change once a minute."""
    journal.prepare_folders(str(state))
    environ = {"CLAUDE_PID": str(os.getpid())}
    for number in range(sessions):
        for kind, given in (
            ("SessionStart", {"source": "startup"}),
            ("UserPromptSubmit", {"prompt": f"work on part {number:03}"}),
            ("Stop", {}),
        ):
            journal.record_event(
                str(state), payload.parse_event(event(number, kind, **given), time.time() - age + number / 10, environ)
            )


def start_ratio(app: list[str], environ: dict[str, str], sessions: int, rounds: int = 5) -> tuple[float, float]:
    """Medians of the start to the first full frame: ours with all sessions, a bare Textual app with one Static."""
    took: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(rounds):
        for name, command, text in (
            ("bare", [sys.executable, "-c", BARE], "READY"),
            ("ours", app, f"part {sessions - 1:03}"),
        ):
            screen = Screen(command, environ, SIZE)
            screen.want(text)
            took[name].append(screen.wait(text) - screen.begun)
            screen.close()
    return statistics.median(took["ours"]), statistics.median(took["bare"])


def event_to_row(app: list[str], environ: dict[str, str], state: Path, sessions: int, events: int) -> list[float]:
    """Seconds from the start of a hook process to its text on the screen, at 20 events a second over all sessions."""
    screen = Screen(app, environ, SIZE)
    screen.want(f"part {sessions - 1:03}")
    screen.wait(f"part {sessions - 1:03}")
    time.sleep(1.5)
    command = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(hook.__file__)} {shlex.quote(str(state))} 2>/dev/null || true"
    begun: dict[str, float] = {}
    running = []
    next_at = time.perf_counter()
    for number in range(events):
        time.sleep(max(0.0, next_at - time.perf_counter()))
        next_at += 0.05
        text = f"m{number:05}"
        screen.want(text)
        data = event(
            number % sessions, "PreToolUse", tool_name="Bash", tool_input={"command": text}, tool_use_id=f"t{number}"
        )
        begun[text] = time.perf_counter()
        process = subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=subprocess.PIPE, env={**environ, "CLAUDE_PID": str(os.getpid())}
        )
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
        running.append(process)
    for process in running:
        process.wait()
    took = [screen.wait(text, 10) - at for text, at in begun.items()]
    screen.close()
    return took


def idle_share(app: list[str], environ: dict[str, str], sessions: int, seconds: float) -> tuple[float, float]:
    """Share of one core that the app takes while nothing happens, and its memory in MB."""
    screen = Screen(app, environ, SIZE)
    screen.want(f"part {sessions - 1:03}")
    screen.wait(f"part {sessions - 1:03}")
    time.sleep(3)
    process = psutil.Process(screen.pid)
    before = process.cpu_times()
    time.sleep(seconds)
    after = process.cpu_times()
    memory = process.memory_info().rss / 1e6
    screen.close()
    return (after.user + after.system - before.user - before.system) / seconds, memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=54)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--events", type=int, default=300)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "ATM_STATE_DIR": str(state),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            # the code that is measured is the one that this process has
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        app = [sys.executable, "-m", "atm_tui"]
        fill(state, args.sessions)
        # not its first start: nothing stands before the screen
        (state / "app").mkdir(exist_ok=True)
        (state / "app" / "told.json").write_text('{"greeted": 1.0}')
        ours, bare = start_ratio(app, environ, args.sessions)
        print(
            f"start to first full frame, {args.sessions} sessions: {ours * 1000:.0f} ms,"
            f" {ours / bare:.2f} x a bare Textual app ({bare * 1000:.0f} ms)"
        )
        share, memory = idle_share(app, environ, args.sessions, args.seconds)
        print(f"idle app over {args.seconds:.0f} s: {share:.2%} of a core, {memory:.0f} MB")
        took = event_to_row(app, environ, state, args.sessions, args.events)
        print(
            f"hook process start to painted row, 20 events/s over {args.sessions} sessions, {args.events} events:"
            f" p50 {percentile(took, 0.5) * 1000:.0f} ms, p99 {percentile(took, 0.99) * 1000:.0f} ms"
        )


if __name__ == "__main__":
    main()
