"""An answer, from the key to the closed dialog: the real app on a real pty, and the hooks as installed, as the client runs them.

usage: python tests/bench/bench_answers.py [--sessions 54] [--rate 0] [--answers 50] [--client PATH]

A dialog closes when the hook has ended with its decision on stdout. With --client (or ATM_TEST_CLIENT) the same once more
with the real client, until the dialog is gone from its screen. Aims: p50 150 ms, p99 400 ms. Nothing is asserted: machines differ.
"""

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from busy_fleet import BusyFleet, started
from pty_screen import Screen, percentile

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.client.answering import ALLOWED, Desk, script_removal
from tests.client.lab import Lab
from tests.support.callers import AS_PERSON
from tests.support.needs import find_client, find_tmux

SIZE = (50, 160)
SHOWN = 0.8
"""Seconds that a request stands on the screen before its key; more than the app asks for, and than a key rests after an answer."""
APP = [sys.executable, "-m", "atm_tui"]
DIALOG = "Do you want to proceed"
GRAIN = 0.015
"""Seconds between two looks at the client's screen, which cost it time as well."""
ASKER = "asks-0001"
IN_CREATE = 0x100


class Took(NamedTuple):
    """Seconds of one answer: from the key to the verdict's file, on to the decision on stdout, on to the end of the hook."""

    verdict: float
    decision: float
    end: float


class Verdicts:
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


def installed(config: Path) -> str:
    """The command of the hook that waits for answers, as it stands in the settings."""
    hooks = json.loads((config / "settings.json").read_text())["hooks"]["PermissionRequest"]
    (command,) = [hook["command"] for group in hooks for hook in group["hooks"]]
    return str(command)


class Asker:
    """A session that asks, through hooks that the client's way starts."""

    def __init__(self, fleet: BusyFleet, environ: dict[str, str]) -> None:
        self.fleet, self.environ = fleet, environ
        self.command = installed(fleet.config)
        self.hook("SessionStart", source="startup").wait()
        self.hook("UserPromptSubmit", prompt="ask me a lot").wait()

    def hook(self, kind: str, **given: Any) -> "subprocess.Popen[bytes]":
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
        return self.hook("PermissionRequest", tool_name="Bash", tool_input={"command": command})


def answer(screen: Screen, asker: Asker, verdicts: Verdicts, number: int) -> Took:
    """One request, and its answer."""
    command = f"make part-{number:04}"
    screen.want(command)
    hook = asker.ask(command)
    screen.wait(command, 10)
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
    asker.hook(
        "PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=f"t{number}", tool_response={}
    ).wait()
    return Took(given - pressed, decided - given, ended - decided)


def measure(sessions: int, rate: float, count: int) -> list[Took]:
    """One app in front of one fleet."""
    with tempfile.TemporaryDirectory() as folder:
        fleet = BusyFleet(Path(folder), sessions)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": folder,
            "ATM_STATE_DIR": str(fleet.state),
            "ATM_DATA_DIR": f"{folder}/data",
            "CLAUDE_CONFIG_DIR": str(fleet.config),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            # the code that is measured is the one that this process has
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }
        screen = load = None
        try:
            fleet.fill()
            options = ["install", "--yes", "--answers", "--config-dir", str(fleet.config)]
            subprocess.run([*APP, *options], env=environ, check=True, stdout=subprocess.DEVNULL)
            asker = Asker(fleet, environ)
            screen = Screen([*AS_PERSON], environ, SIZE)
            screen.want("part 0000")
            screen.wait("part 0000")
            screen.want("armed")
            os.write(screen.fd, b"A")
            screen.wait("armed", 10)
            verdicts = Verdicts(fleet.state / "answers" / "verdicts")
            took = []
            for number in range(count):
                took.append(answer(screen, asker, verdicts, number))
                if number == 0 and rate:  # others may ask as well now
                    load = started(fleet.folder, sessions, rate)
                    time.sleep(2)
            return took
        finally:
            if load is not None:
                load.kill()
                load.wait()
            if screen is not None:
                screen.close()
            fleet.close()


class Shown(NamedTuple):
    """Seconds of one answer to the real client: from the key until its hook had answered, and on until its dialog is gone."""

    hook: float
    screen: float


def with_client(program: str, tmux: str, count: int) -> tuple[list[Shown], float]:
    """Answers to the real client, and how many seconds a look at its screen takes."""
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder), program, tmux)
        try:
            desk = Desk(lab)
            keys, screens, looks = [], [], []
            client = desk.start("shop")
            for number in range(count):
                script_removal(lab, f"remove {number:02}", f"{number:02}.txt", f"It is gone, {number:02}.")
                client.type(f"please remove {number:02}")
                desk.waits()
                keys.append(desk.press("n", "a"))  # /clear began another session
                look = keys[-1]
                while DIALOG in client.screen():
                    time.sleep(GRAIN)
                    looks.append(time.time() - look)
                    look = time.time()
                    assert look - keys[-1] < 10, client.screen()
                screens.append(time.time())
                client.wait_screen(ALLOWED)
                client.wait_screen(f"It is gone, {number:02}")
                client.wait_status("idle")
                client.type("/clear")
                time.sleep(1)
            answered = [entry["at"] for entry in desk.log()]
            both = zip(keys, answered, screens, strict=True)
            return [Shown(hook - key, screen - hook) for key, hook, screen in both], percentile(looks, 0.5)
        finally:
            lab.close()


def told(name: str, took: list[float]) -> str:
    """A line of figures."""
    p50, p99, most = (each * 1000 for each in (percentile(took, 0.5), percentile(took, 0.99), max(took)))
    return f"  {name:52} p50 {p50:4.0f} ms   p99 {p99:4.0f} ms   most {most:4.0f} ms"


def main() -> None:
    """The hook's end first, then the real client's screen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, default=54)
    parser.add_argument("--rate", type=float, default=0.0, help="events a second in the other sessions meanwhile")
    parser.add_argument("--answers", type=int, default=50)
    parser.add_argument("--client", default=find_client(), help="Claude Code, for some answers more")
    parser.add_argument("--client-answers", type=int, default=10)
    args = parser.parse_args()
    took = measure(args.sessions, args.rate, args.answers)
    print(f"{len(took)} answers, {args.sessions} sessions of five agents, {args.rate:.0f} events/s")
    print(told("key to dialog closed (the hook ended)", [sum(each) for each in took]))
    print(told("  key to verdict", [each.verdict for each in took]))
    print(told("  verdict to decision on stdout", [each.decision for each in took]))
    print(told("  decision to end of the hook", [each.end for each in took]))
    if args.client and (tmux := find_tmux()):
        shown, grain = with_client(args.client, tmux, args.client_answers)
        print(f"{len(shown)} answers to the real client, its screen looked at every {grain * 1000:.0f} ms")
        print(told("key to dialog closed (the client's screen)", [sum(each) for each in shown]))
        print(told("  key (tmux send-keys) to answered by the hook", [each.hook for each in shown]))
        print(told("  from there to no dialog on its screen", [each.screen for each in shown]))


if __name__ == "__main__":
    main()
