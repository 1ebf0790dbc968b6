"""An answer, from the key to the closed dialog: the real app on a real pty, and the hooks as installed, as the client runs them.

A dialog closes when the hook has ended with its decision on stdout. Where Claude Code and tmux are installed, the same once
more with the real client, until the dialog is gone from its screen.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.bench_load import describe_times
from tests.bench.busy_fleet import BusyFleet
from tests.bench.options import Options
from tests.bench.processes import make_environ
from tests.bench.pty_screen import Screen
from tests.bench.row import Row
from tests.client.answering import ALLOWED, ArmedApp, make_removal_script
from tests.client.sandbox import Sandbox
from tests.support import noon
from tests.support.callers import AS_PERSON
from tests.support.needs import find_client, find_tmux

SESSIONS = 54
SIZE = (50, 160)
SHOWN = 0.8
"""Seconds that a request stands on the screen before its key; more than the app asks for, and than a key rests after an answer."""
APP = [sys.executable, "-m", "atm_tui"]
DIALOG = "Do you want to proceed"
GRAIN = 0.015
"""Seconds between two looks at the client's screen, which cost it time as well."""
ASKER = "asks-0001"
IN_CREATE = 0x100


class AnswerTimes(NamedTuple):
    """Seconds of one answer: from the key to the verdict's file, on to the decision on stdout, on to the end of the hook."""

    verdict: float
    decision: float
    end: float


class VerdictWatcher:
    """When verdicts are written, from the kernel: they are gone again at once. Times are those of time.perf_counter."""

    def __init__(self, folder: Path) -> None:
        self.at: list[float] = []
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init()
        if self._fd < 0 or libc.inotify_add_watch(self._fd, os.fsencode(folder), IN_CREATE) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while os.read(self._fd, 4096):
            self.at.append(time.perf_counter())

    def first_after(self, moment: float) -> float:
        """When the first one was written since then. StopIteration: none was."""
        return next(at for at in list(self.at) if at >= moment)


def read_command(config: Path) -> str:
    """The command of the hook that waits for answers, as it stands in the settings."""
    hooks = json.loads((config / "settings.json").read_text())["hooks"]["PermissionRequest"]
    (command,) = [hook["command"] for group in hooks for hook in group["hooks"]]
    return str(command)


class AskingSession:
    """A session that asks, through hooks that the client's way starts."""

    def __init__(self, fleet: BusyFleet, environ: dict[str, str]) -> None:
        self.fleet, self.environ = fleet, environ
        self.command = read_command(fleet.config)
        self.send_hook("SessionStart", source="startup").wait()
        self.send_hook("UserPromptSubmit", prompt="ask me a lot").wait()

    def send_hook(self, kind: str, **given: Any) -> "subprocess.Popen[bytes]":
        """A hook process with an event on its stdin."""
        known = {"session_id": ASKER, "cwd": str(self.fleet.folder), "prompt_id": "p1", "permission_mode": "default"}
        process = subprocess.Popen(
            ["/bin/sh", "-c", self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**self.environ, "CLAUDE_PID": str(os.getpid())},
        )
        assert process.stdin
        process.stdin.write(json.dumps({**known, "hook_event_name": kind, **given}).encode())
        process.stdin.close()
        return process

    def ask(self, command: str) -> "subprocess.Popen[bytes]":
        """A hook that waits for an answer to whether a command may run."""
        return self.send_hook("PermissionRequest", tool_name="Bash", tool_input={"command": command})


def answer(screen: Screen, asker: AskingSession, verdicts: VerdictWatcher, number: int) -> AnswerTimes:
    """One request, and its answer."""
    word = f"part-{number:04}"
    command = f"make {word}"
    screen.want(word)  # only the words of a line are written that differ from before
    hook = asker.ask(command)
    screen.wait(word, 10)
    if number == 0:  # from then on it is the selected one
        os.write(screen.fd, b"n")
    time.sleep(SHOWN)
    pressed = time.perf_counter()
    os.write(screen.fd, b"a")
    assert hook.stdout
    output = hook.stdout.readline()
    decided = time.perf_counter()
    hook.wait()
    ended = time.perf_counter()
    assert b'"behavior":"allow"' in output, f"the hook said {output!r}"
    given = verdicts.first_after(pressed)
    asker.send_hook(
        "PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=f"t{number}", tool_response={}
    ).wait()
    return AnswerTimes(given - pressed, decided - given, ended - decided)


def measure(options: Options) -> Iterator[Row]:
    """Measures answers to hooks, then to the real client."""
    took = [sum(each) for each in measure_hooks(options.answers)]
    yield from describe_times(f"an answer, {SESSIONS} sessions: key to end of the hook", took, p50=150, p99=400)
    client, tmux = find_client(), find_tmux()
    title = "an answer to Claude Code: key to dialog closed"
    if client is None or tmux is None:
        yield Row(title, None, note="Claude Code or tmux is not installed")
        return
    noon.install()  # as for all tests with the client
    yield from describe_times(title, measure_client(client, tmux, max(3, options.answers // 3)), p50=150, p99=400)


def measure_hooks(count: int) -> list[AnswerTimes]:
    """Measures answers in one app, in front of one fleet."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), SESSIONS)
        environ, screen = make_environ(folder), None
        try:
            fleet.fill()
            options = ["install", "--yes", "--answers", "--config-dir", str(fleet.config)]
            subprocess.run([*APP, *options], env=environ, check=True, stdout=subprocess.DEVNULL)
            asker = AskingSession(fleet, environ)
            screen = Screen([*AS_PERSON], environ, SIZE)
            screen.want("part 0000")
            screen.wait("part 0000")
            screen.want("armed")
            os.write(screen.fd, b"A")
            screen.wait("armed", 10)
            verdicts = VerdictWatcher(fleet.state / "answers" / "verdicts")
            return [answer(screen, asker, verdicts, number) for number in range(count)]
        finally:
            if screen is not None:
                screen.close()
            fleet.close()


def measure_client(program: str, tmux: str, count: int) -> list[float]:
    """Returns the seconds of each answer to the real client: from the key until its dialog is gone."""
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(Path(folder), program, tmux)
        try:
            armed_app, took = ArmedApp(sandbox), []
            client = armed_app.start_client("shop")
            for number in range(count):
                make_removal_script(sandbox, f"remove {number:02}", f"{number:02}.txt", f"It is gone, {number:02}.")
                client.type_prompt(f"please remove {number:02}")
                armed_app.wait_for_requests()
                pressed = armed_app.press("n", "a")  # /clear began another session
                while DIALOG in client.read_screen():
                    time.sleep(GRAIN)
                    assert time.time() - pressed < 10, client.read_screen()
                took.append(time.time() - pressed)
                client.wait_screen(ALLOWED)
                client.wait_screen(f"It is gone, {number:02}")
                client.wait_status("idle")
                client.type_prompt("/clear")
                time.sleep(1)
            return took
        finally:
            sandbox.close()
