"""The real Claude Code in a tmux pane: typed at and read like a person does, and asked for its own record."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import psutil

from tests.support.tmux import Pane, is_running
from tests.support.waiting import PATIENCE, POLL

TYPING = 0.3
"""Seconds between a text and Enter: an Enter that comes with the text counts as a line break in a paste."""
DIALOG = 0.5
"""Seconds for which a dialog may ignore keys after it came up, as a guard against keys meant for the prompt."""
READY = r"^\s*❯"
"""The input line."""


class Client:
    """One running client. Times are seconds."""

    def __init__(self, pane: Pane, config_dir: Path) -> None:
        self.pane = pane
        self.pid = pane.pid
        self.process = psutil.Process(self.pid)
        self.config_dir = config_dir

    def read_registry(self) -> dict[str, Any] | None:
        """Reads the client's own record of this process; None when there is none (or it is half written)."""
        try:
            text = (self.config_dir / "sessions" / f"{self.pid}.json").read_text()
            record: dict[str, Any] = json.loads(text)
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return record

    @property
    def status(self) -> str | None:
        """What the registry says now: idle | busy | waiting | shell; None when it says nothing."""
        return (self.read_registry() or {}).get("status")

    @property
    def session_id(self) -> str:
        """The session that the process serves now; /clear and /resume change it."""
        record = self.read_registry()
        assert record, f"{self.pid} has no record in the client's registry"
        return str(record["sessionId"])

    def type_prompt(self, text: str, *, enter: bool = True) -> None:
        """Types a prompt into an emptied input line and, with `enter`, sends it."""
        self.pane.press_keys("C-u")
        self.pane.type_text(text)
        time.sleep(TYPING)
        if enter:
            self.pane.press_keys("Enter")

    def press_keys(self, *names: str) -> None:
        """Presses keys by tmux's names."""
        self.pane.press_keys(*names)

    def answer(self, dialog: str, *keys: str) -> None:
        """Presses keys in a dialog (a regular expression of its text) once it is open and listens."""
        self.wait_screen(dialog)
        time.sleep(DIALOG)
        self.press_keys(*keys)

    def read_screen(self) -> str:
        """Reads what the client shows now."""
        return self.pane.read_screen()

    def wait_screen(self, pattern: str, timeout: float = PATIENCE) -> str:
        """Waits until a regular expression is on the screen, and returns the screen."""
        return self.pane.wait_for(pattern, timeout)

    def wait_status(self, status: str, waiting_for: str | None = None, timeout: float = PATIENCE) -> dict[str, Any]:
        """The registry's record once it has this status (and, if given, this `waitingFor`)."""
        deadline = time.monotonic() + timeout
        while True:
            record = self.read_registry() or {}
            if record.get("status") == status and waiting_for in (None, record.get("waitingFor")):
                return record
            if time.monotonic() > deadline or not self.alive:
                shown = {key: record.get(key) for key in ("status", "waitingFor", "statusUpdatedAt")}
                raise AssertionError(f"the registry never said {status}, but {shown}:\n{self.read_screen()}")
            time.sleep(POLL)

    @property
    def alive(self) -> bool:
        """Whether the process runs; a zombie does not."""
        return is_running(self.process)

    def exit(self) -> None:
        """Leaves as a person does, and waits until the process is gone."""
        self.type_prompt("/exit")
        self.wait_gone()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Sends a signal and waits until the process is gone."""
        os.kill(self.pid, number)
        self.wait_gone()

    def wait_gone(self, timeout: float = PATIENCE) -> None:
        """Waits until the process is gone; AssertionError with its screen when it stays."""
        deadline = time.monotonic() + timeout
        while self.alive:
            assert time.monotonic() < deadline, f"the client {self.pid} did not end:\n{self.read_screen()}"
            time.sleep(POLL)
