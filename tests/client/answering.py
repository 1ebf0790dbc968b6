"""What the tests of answering share: an armed app in front of the real client, and what either side shows of an answer."""

import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.client.api import Text, Tool
from tests.client.client import Client
from tests.client.lab import Lab
from tests.support.callers import AS_PERSON
from tests.support.tmux import Pane
from tests.support.waiting import PATIENCE, poll_after, wait_until

ASKED = ("--permission-mode", "default")
"""Arguments of a client that asks before a command runs."""
ALLOWED = "Allowed by PermissionRequest hook"
DENIED = "Denied by PermissionRequest hook"
SIZE = (140, 45)
SETTLE = 0.7
"""Seconds for which a request has to be on the screen before an answer counts, and a little."""


class Desk:
    """A person with an armed app; the clients run elsewhere. Times are seconds."""

    def __init__(self, lab: Lab, *, arm: bool = True, config: str = "") -> None:
        self.lab = lab
        if config:
            folder = lab.home / ".config" / "atm-tui"
            folder.mkdir(parents=True)
            (folder / "config.toml").write_text(config)
        lab.atm_tui("install", "--yes", "--answers", "--config-dir", str(lab.config_dir))
        self.app: Pane = lab.app(SIZE, AS_PERSON)
        self.app.wait_for("No sessions yet")
        if arm:
            self.arm()

    def arm(self) -> None:
        """Presses A, and sees that it took."""
        self.app.keys("A")
        self.app.wait_for(r"\barmed\b")

    def start(self, name: str, *arguments: str) -> Client:
        """A client that asks for everything."""
        return self.lab.start(self.lab.project(name), *ASKED, *arguments)

    def read_requests(self) -> list[dict[str, Any]]:
        """The open requests, oldest first, as the hooks wrote them down."""
        found = []
        for path in (self.lab.state_dir / "answers" / "requests").glob("*.json"):
            try:
                found.append(json.loads(path.read_bytes()))
            except (OSError, ValueError):
                continue
        return sorted(found, key=lambda each: float(each["at"]))

    def waits(self, count: int = 1, timeout: float = PATIENCE) -> list[dict[str, Any]]:
        """The open requests once there are so many, and the screen has had them for a moment."""
        until(lambda: len(self.read_requests()) == count, f"{count} open requests", self, timeout)
        self.lab.measure_until(lambda: self.count_waiting() >= 1)
        time.sleep(SETTLE)
        return self.read_requests()

    def count_waiting(self) -> int:
        """How many sessions the header says need you."""
        found = re.search(r"(\d+) needs? you", self.lab.screen(self.app))
        return int(found[1]) if found else 0

    def press(self, *keys: str) -> float:
        """Presses keys in the app, each after a look at what the former did; when the last one was, epoch seconds."""
        before = ""
        for key in keys:
            if before:
                wait_until(lambda shown=before: self.app.screen() != shown, "another screen")
                time.sleep(SETTLE)
            before = self.app.screen()
            pressed = time.time()
            self.app.keys(key)
        return pressed

    def refuse(self, reason: str) -> None:
        """Denies what is selected, with a reason."""
        self.press("d")
        self.wait_for_text("why not")
        self.app.text(reason)
        time.sleep(SETTLE)
        self.press("Enter")

    def wait_for_text(self, text: str, timeout: float = PATIENCE) -> str:
        """The app's screen once it says so."""
        return self.app.wait_for(text, timeout)

    def wait_until_calm(self) -> None:
        """Nothing waits any more, on disk or on the screen."""
        until(lambda: not self.read_requests(), "no open request", self)
        self.lab.measure_until(lambda: self.count_waiting() == 0)
        assert not list((self.lab.state_dir / "answers" / "verdicts").iterdir())
        assert not list((self.lab.state_dir / "answers" / "wake").iterdir())

    def log(self) -> list[dict[str, Any]]:
        """The log of answers, as a person asks for it."""
        found: list[dict[str, Any]] = json.loads(self.lab.atm_tui("answers", "--json"))
        return found

    def shell(self, *arguments: str) -> str:
        """`atm-tui answer` without a terminal."""
        return self.lab.atm_tui("answer", *arguments, "--yes")


def until(check: Callable[[], object], what: str, desk: Desk | None, timeout: float = PATIENCE) -> None:
    """Waits until `check` holds; AssertionError with the app's screen (None: it has none any more) when it does not in time."""
    began = time.monotonic()
    while not check():
        waited = time.monotonic() - began
        assert waited < timeout, f"never {what}:\n{desk.app.screen() if desk else ''}"
        time.sleep(poll_after(waited))


def script_removal(lab: Lab, phrase: str, name: str, then: str) -> Path:
    """Scripts a turn that asks to remove a file of the project `shop`; the file."""
    lab.api.script(phrase, Tool("Bash", {"command": f"rm -f {name}", "description": "Remove it"}), Text(then))
    file = lab.project("shop", {name: "here\n"}) / name
    assert file.exists()
    return file


def read_model_input(lab: Lab, phrase: str) -> str:
    """What the model was told in the turn of a phrase once it had been answered, as text."""
    asked = lab.api.wait_asked(phrase, 2)
    return json.dumps(asked.request["messages"])


class Headless:
    """`claude -p` in a thread, so that it can be answered meanwhile."""

    def __init__(self, lab: Lab, prompt: str, project: Path) -> None:
        self.result: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._run, args=(lab, prompt, project))
        self._thread.start()

    def _run(self, lab: Lab, prompt: str, project: Path) -> None:
        self.result = lab.run_headless(prompt, *ASKED, project=project)

    def end(self) -> dict[str, Any]:
        """Its result."""
        self._thread.join(30)
        return self.result
