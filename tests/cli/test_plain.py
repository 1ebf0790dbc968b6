"""`atm-tui --plain` as a process: what it prints, how it ends, and what it never loads."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from atm_tui.cli.exit_codes import ExitCode
from tests.support.timelines import RECORDINGS
from tests.support.waiting import PATIENCE


class PlainProcess:
    """The process, and all that it has said so far."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int) -> None:
        self.process = process
        self.master = master
        self.said = ""

    def wait_for(self, words: str, seconds: float = PATIENCE) -> None:
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        while words not in self.said:
            assert time.monotonic() < end, f"{words!r} was not said:\n{self.said}"
            self.said += os.read(self.process.stdout.fileno(), 65536).decode()

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())


@contextmanager
def run_plain_process(home, *words: str) -> Iterator[PlainProcess]:
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "atm_tui", *words, "--plain"],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=home.environ,
        cwd=home.folder,
    )
    os.close(terminal)
    try:
        yield PlainProcess(process, master)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        os.close(master)


def test_plain_mode_prints_a_list_then_changes_and_ends_on_q(home) -> None:
    home.replay("01-auto-mode", until=2.0)
    with run_plain_process(home) as speaker:
        speaker.wait_for("Type q and Enter to leave.\n")
        assert speaker.said.startswith("atm-tui: 1 session, ")
        home.replay("02-background-subagents", until=5.0)
        speaker.wait_for(" needs you: permission Bash for i in 1 2 3")
        assert "asked by agent Explore" in speaker.said
        assert "\x1b" not in speaker.said
        speaker.type("q\n")
        assert speaker.process.wait(10) == 0


def test_ctrl_c_ends_with_0_and_a_signal_with_its_code(home) -> None:
    for number, code in ((signal.SIGINT, 0), (signal.SIGTERM, 143)):
        with run_plain_process(home) as speaker:
            speaker.wait_for("No sessions yet.")
            speaker.process.send_signal(number)
            assert speaker.process.wait(10) == code


def test_plain_mode_ends_when_its_output_is_closed(home) -> None:
    with run_plain_process(home) as speaker:
        speaker.wait_for("Type q and Enter to leave.\n")
        assert speaker.process.stdout is not None
        speaker.process.stdout.close()
        speaker.type("\n")
        assert speaker.process.wait(PATIENCE) == 0


def test_plain_mode_loads_no_screen(home, python_of) -> None:
    done = python_of(
        "import sys, atm_tui.cli.plain, atm_tui.monitor.live; print([m for m in sys.modules if m.startswith('textual')])",
        home,
    )
    assert done.out == "[]\n", done.err


def test_plain_works_without_a_command(home) -> None:
    done = home.run("--plain", "status")
    assert done.code == 2
    assert "--plain can't be combined with a command" in done.err


@contextmanager
def on_dumb_terminal(home, *words: str) -> Iterator[Callable[[bytes, bytes], bytes]]:
    """A command on a dumb terminal: `answer(words, keys)` waits for words, types keys, and returns all that was printed so far."""
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "atm_tui", *words],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**home.environ, "TERM": "dumb"},
        cwd=home.folder,
    )
    os.close(terminal)
    said = b""

    def answer(expected: bytes, keys: bytes) -> bytes:
        nonlocal said
        while expected not in said:
            said += os.read(master, 65536)
        os.write(master, keys)
        return said

    try:
        yield answer
        assert process.wait(PATIENCE) in (0, ExitCode.DECLINED)
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert b"\x1b" not in said


def test_a_dumb_terminal_gets_lines_and_no_escape_sequence(home) -> None:
    with on_dumb_terminal(home) as answer:
        assert b"atm-tui: 0 sessions" in answer(b"Type q and Enter to leave.", b"q\n")


def test_a_dumb_terminal_gets_the_demo_as_lines(home) -> None:
    with on_dumb_terminal(home, "demo") as answer:
        said = answer(b"Type q and Enter to leave.", b"q\n")
    assert b"needs you: permission" in said
    assert b"shop-api" in said


def test_a_dumb_terminal_gets_a_replay_as_lines(home) -> None:
    recording = str(RECORDINGS / "01-permission-allowed.jsonl")
    with on_dumb_terminal(home, "replay", recording, "--speed", "1000") as answer:
        assert b"atm-tui: 1 session, " in answer(b"Type q and Enter to leave.", b"q\n")


def test_a_dumb_terminal_gets_a_question_instead_of_the_wizard(home) -> None:
    settings = Path(home.environ["HOME"]) / ".claude" / "settings.json"
    for key, last in ((b"n\n", b"Nothing was changed."), (b"y\n", b"Done. Running sessions")):
        with on_dumb_terminal(home, "install") as answer:
            answer(b"Write this? [y/N]", key)
            answer(last, b"")
        assert settings.exists() is (key == b"y\n")
