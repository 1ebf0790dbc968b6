"""A home in which `atm-tui answer` is run beside real hooks, also on a pseudo terminal."""

import os
import pty
import select
import subprocess
import time
from pathlib import Path
from typing import Protocol

from atm_tui.monitor.live import LiveMonitor
from tests.support.answers_on_disk import AnswerHarness, make_armed
from tests.support.callers import AS_PERSON, make_terminal_command
from tests.support.command_home import Home
from tests.support.forked import CommandResult
from tests.support.waiting import PATIENCE


class HomeWithApp(Protocol):
    """A home, and the armed app of its user."""

    home: Home
    app: LiveMonitor


class AnswerHome:
    """A home with the state and config folders of an AnswerHarness."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.harness = AnswerHarness(folder, pid)
        self.home = Home(folder)
        self.home.environ["CLAUDE_CONFIG_DIR"] = str(self.harness.config_dir)
        self.app = make_armed(self.harness)

    def run(self, *words: str) -> CommandResult:
        self.app.note_alive()
        return self.home.run(*words)

    def run_at_terminal(self, *words: str) -> CommandResult:
        """The same with a controlling terminal, from which nothing is read."""
        ours, terminal = pty.openpty()
        self.app.note_alive()
        try:
            return self.home.start(make_terminal_command(terminal, *AS_PERSON, *words))
        finally:
            os.close(ours)
            os.close(terminal)


class Terminal:
    """The command on a pseudo terminal: what it shows, and what a person types once a text stands there."""

    def __init__(self, shell: HomeWithApp, *words: str, rows: int = 60, columns: int = 100) -> None:
        self.shell = shell
        self.shown = ""
        master, slave = pty.openpty()
        self.master = master
        shell.app.note_alive()
        self.process = subprocess.Popen(
            make_terminal_command(slave, *AS_PERSON, *words),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            cwd=shell.home.folder,
            env={**shell.home.environ, "LINES": str(rows), "COLUMNS": str(columns), "NO_COLOR": "1"},
        )
        os.close(slave)

    def read_until(self, text: str, seconds: float = PATIENCE) -> None:
        """Reads on until `text` stands in what has not been read before."""
        end, fresh = time.monotonic() + seconds, ""
        while text not in fresh:
            assert time.monotonic() < end, f"{text!r} is not in {fresh!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                try:
                    fresh += os.read(self.master, 65536).decode()
                except OSError:
                    break
            self.shell.app.note_alive()
        self.shown += fresh
        assert text in fresh, fresh

    def type(self, text: str, after: str) -> None:
        self.read_until(after)
        time.sleep(0.05)
        os.write(self.master, text.encode())

    def end(self) -> int:
        end = time.monotonic() + 15
        while self.process.poll() is None and time.monotonic() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.master, 65536).decode()
                except OSError:
                    break
            self.shell.app.note_alive()
        code = self.process.wait(5)
        while select.select([self.master], [], [], 0)[0]:
            try:
                self.shown += os.read(self.master, 65536).decode()
            except OSError:
                break
        os.close(self.master)
        return code
