"""A private tmux server for tests: a real program in a pane, keys in, screen out."""

import os
import re
import shutil
import subprocess
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from tests.support.waiting import PATIENCE, POLL, poll_after

CONFIG = """
set -s escape-time 0
set -g default-terminal screen-256color
set -g status off
set -g remain-on-exit on
"""

THEN_STAY = '"$@"; printf "\\n[left with %s]\\n" "$?"; exec cat'
"""Shell text around a program: the pane outlives it, so that the terminal can be looked at afterwards."""


def mark_as_started(state_dir: str | Path) -> None:
    """Marks the state folder as used before, so that atm-tui does not show its introduction."""
    folder = Path(state_dir) / "app"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    Path(state_dir).chmod(0o700)
    (folder / "told.json").write_text('{"greeted": 1.0}')


class Pane:
    """One program in one tmux pane. Times are seconds, sizes cells."""

    def __init__(self, server: "Tmux", target: str) -> None:
        self.server = server
        self.target = target
        """tmux's own id of the pane, as `%3`."""
        self.pid = int(self.read_format("#{pane_pid}"))
        """Process that tmux started: the program, or with `stay` the shell around it."""

    def read_format(self, text: str) -> str:
        """Reads the value of a tmux format such as `#{alternate_on}`."""
        return self.server.run("display-message", "-p", "-t", self.target, text).rstrip("\n")

    def press_keys(self, *names: str) -> None:
        """Presses keys by tmux's names: `Escape`, `Enter`, `C-u`, `j`."""
        self.server.run("send-keys", "-t", self.target, *names)

    def type_text(self, text: str) -> None:
        """Types text letter by letter, with no key names in it."""
        self.server.run("send-keys", "-t", self.target, "-l", "--", text)

    def read_screen(self, *, colours: bool = False) -> str:
        """Reads the screen as it is now, lines without trailing blanks; with `colours` the SGR sequences too."""
        return self.server.run("capture-pane", "-p", *(["-e"] if colours else []), "-t", self.target)

    def wait_for(self, pattern: str, timeout: float = PATIENCE) -> str:
        """Waits until `pattern` (a regular expression) is on the screen, and returns the screen; AssertionError if it never is."""
        return self._wait(pattern, timeout, there=True)

    def wait_gone(self, pattern: str, timeout: float = PATIENCE) -> str:
        """Waits until `pattern` is no longer on the screen, and returns the screen."""
        return self._wait(pattern, timeout, there=False)

    def _wait(self, pattern: str, timeout: float, *, there: bool) -> str:
        began = time.monotonic()
        while True:
            screen = self.read_screen()
            if bool(re.search(pattern, screen, re.MULTILINE)) == there:
                return screen
            if (waited := time.monotonic() - began) > timeout:
                said = "never came" if there else "stayed"
                raise AssertionError(f"{pattern!r} {said} on the screen within {timeout} s:\n{screen}")
            time.sleep(poll_after(waited))

    def resize(self, width: int, height: int) -> None:
        """Resizes the pane; the program gets SIGWINCH."""
        self.server.run("resize-window", "-t", self.target, "-x", str(width), "-y", str(height))

    def find_program(self) -> psutil.Process:
        """Waits for the program that was started with `stay`, and returns it; AssertionError when it has ended, or never came."""
        shell, deadline = psutil.Process(self.pid), time.monotonic() + PATIENCE
        while not (children := shell.children()):
            screen = self.read_screen()
            assert "[left with" not in screen, f"the program of {self.target} has ended:\n{screen}"
            assert time.monotonic() < deadline, f"the shell of {self.target} started no program:\n{screen}"
            time.sleep(POLL)
        return children[0]

    def wait_for_exit(self, timeout: float = PATIENCE) -> int:
        """Waits until the program that was started with `stay` has ended; its exit status (128 + n for signal n)."""
        found = re.search(r"^\[left with (\d+)\]", self.wait_for(r"^\[left with \d+\]", timeout), re.MULTILINE)
        assert found
        return int(found[1])

    def assert_clean(self) -> None:
        """Asserts that the terminal is as a shell expects it: main screen, cursor, no mouse reports, echo and line mode."""
        flags = ("alternate_on", "cursor_flag", "mouse_any_flag", "mouse_sgr_flag", "keypad_flag", "keypad_cursor_flag")
        found = dict(zip(flags, self.read_format(" ".join(f"#{{{flag}}}" for flag in flags)).split(), strict=True))
        assert found == {flag: "1" if flag == "cursor_flag" else "0" for flag in flags}, found
        tty = os.open(self.read_format("#{pane_tty}"), os.O_RDONLY | os.O_NOCTTY)
        try:
            local = termios.tcgetattr(tty)[3]
        finally:
            os.close(tty)
        assert local & termios.ECHO, "the terminal does not echo"
        assert local & termios.ICANON, "the terminal is not in line mode"

    def close(self) -> None:
        """Kills the pane as a closed tab would: its program gets SIGHUP."""
        self.server.run("kill-pane", "-t", self.target)


class Tmux:
    """A tmux server on a socket of its own, with the environment `env` and nothing else."""

    def __init__(self, program: str, env: Mapping[str, str]) -> None:
        self.program = program
        self.env = dict(env)
        # A socket's path may have 107 bytes; the folders that pytest makes can be longer.
        self.folder = Path(tempfile.mkdtemp(prefix="atm-tmux-"))
        self.socket = self.folder / "socket"
        config = self.folder / "tmux.conf"
        config.write_text(CONFIG)
        # In the foreground, so that the server is a child of ours and is waited for.
        self._server = subprocess.Popen(
            [program, "-D", "-u", "-f", str(config), "-S", str(self.socket)],
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while not self.socket.exists():
            assert time.monotonic() < deadline, "the tmux server did not start"
            time.sleep(POLL / 5)

    def run(self, *arguments: str) -> str:
        """Runs a tmux command and returns its output; RuntimeError with tmux's message when it fails."""
        done = subprocess.run(
            [self.program, "-u", "-S", str(self.socket), *arguments],
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"tmux {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def start(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (120, 40),
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stay: bool = False,
    ) -> Pane:
        """Starts a session with one pane of `size` (columns, rows) that runs `command`; `stay` keeps it after the end."""
        extra = [word for name, value in (env or {}).items() for word in ("-e", f"{name}={value}")]
        # A lone word would go through a shell, and the pane's pid be the shell's.
        words = ["sh", "-c", THEN_STAY, "sh", *command] if stay else ["env", *command]
        width, height = map(str, size)
        place = ["-c", str(cwd)] if cwd else []
        target = self.run(
            "new-session", "-d", "-P", "-F", "#{pane_id}", "-x", width, "-y", height, *place, *extra, *words
        )
        return Pane(self, target.strip())

    def close(self) -> None:
        """Ends everything that runs in the server, then the server."""
        server = psutil.Process(self._server.pid)
        started = server.children(recursive=True)
        # Without a pane there is nothing to list, and a pane whose program ended meanwhile is no longer known.
        with suppress(RuntimeError):
            for target in self.run("list-panes", "-a", "-F", "#{pane_id}").split():
                with suppress(RuntimeError):
                    self.run("kill-pane", "-t", target)
        end_processes(started)
        # Only the server can reap its dead children.
        deadline = time.monotonic() + 1
        while server.children() and time.monotonic() < deadline:
            time.sleep(POLL / 5)
        self._server.terminate()
        self._server.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


def is_running(process: psutil.Process) -> bool:
    """Returns whether a process is running and not a zombie."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def end_processes(processes: Sequence[psutil.Process], grace: float = 3.0) -> None:
    """Waits `grace` seconds for processes to end by themselves, then kills those that are left."""
    deadline = time.monotonic() + grace
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(POLL)
    for process in filter(is_running, processes):
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
