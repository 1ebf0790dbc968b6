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
from tests.client.sandbox import Sandbox
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


class ArmedApp:
    """A person with an armed app; the clients run elsewhere. Times are seconds."""

    def __init__(self, sandbox: Sandbox, *, arm: bool = True, config: str = "") -> None:
        self.sandbox = sandbox
        if config:
            folder = sandbox.home / ".config" / "atm-tui"
            folder.mkdir(parents=True)
            (folder / "config.toml").write_text(config)
        sandbox.run_atm_tui("install", "--yes", "--answers", "--config-dir", str(sandbox.config_dir))
        self.app: Pane = sandbox.start_app(SIZE, AS_PERSON)
        self.app.wait_for("No sessions yet")
        if arm:
            self.arm()

    def arm(self) -> None:
        """Presses A, and waits until the app is armed."""
        self.app.press_keys("A")
        self.app.wait_for(r"\barmed\b")

    def start_client(self, name: str, *arguments: str) -> Client:
        """Starts a client that asks for everything."""
        return self.sandbox.start_client(self.sandbox.make_project(name), *ASKED, *arguments)

    def read_requests(self) -> list[dict[str, Any]]:
        """Reads the open requests as the hooks wrote them, oldest first."""
        found = []
        for path in (self.sandbox.state_dir / "answers" / "requests").glob("*.json"):
            try:
                found.append(json.loads(path.read_bytes()))
            except (OSError, ValueError):
                continue
        return sorted(found, key=lambda each: float(each["at"]))

    def wait_for_requests(self, count: int = 1, timeout: float = PATIENCE) -> list[dict[str, Any]]:
        """Waits until there are `count` open requests and the screen has shown them for a moment."""
        wait_or_show_screen(lambda: len(self.read_requests()) == count, f"{count} open requests", self, timeout)
        self.sandbox.measure_until(lambda: self.count_waiting() >= 1)
        time.sleep(SETTLE)
        return self.read_requests()

    def count_waiting(self) -> int:
        """Counts the sessions that need you, as the header says."""
        found = re.search(r"(\d+) needs? you", self.sandbox.read_screen(self.app))
        return int(found[1]) if found else 0

    def press(self, *keys: str) -> float:
        """Presses keys in the app, each once the screen shows the effect of the one before; epoch seconds of the last."""
        before = ""
        for key in keys:
            if before:
                wait_until(lambda shown=before: self.app.read_screen() != shown, "another screen")
                time.sleep(SETTLE)
            before = self.app.read_screen()
            pressed = time.time()
            self.app.press_keys(key)
        return pressed

    def refuse(self, reason: str) -> None:
        """Denies what is selected, with a reason."""
        self.press("d")
        self.wait_for_text("why not")
        self.app.type_text(reason)
        time.sleep(SETTLE)
        self.press("Enter")

    def wait_for_text(self, text: str, timeout: float = PATIENCE) -> str:
        """Waits until the app's screen shows a text."""
        return self.app.wait_for(text, timeout)

    def wait_until_calm(self) -> None:
        """Waits until no request is open, on disk or on the screen."""
        wait_or_show_screen(lambda: not self.read_requests(), "no open request", self)
        self.sandbox.measure_until(lambda: self.count_waiting() == 0)
        assert not list((self.sandbox.state_dir / "answers" / "verdicts").iterdir())
        assert not list((self.sandbox.state_dir / "answers" / "wake").iterdir())

    def read_log(self) -> list[dict[str, Any]]:
        """Reads the log of answers with `atm-tui answers`."""
        found: list[dict[str, Any]] = json.loads(self.sandbox.run_atm_tui("answers", "--json"))
        return found

    def answer_by_command(self, *arguments: str) -> str:
        """Runs `atm-tui answer` without a terminal."""
        return self.sandbox.run_atm_tui("answer", *arguments, "--yes")


def wait_or_show_screen(
    check: Callable[[], object], what: str, armed_app: ArmedApp | None, timeout: float = PATIENCE
) -> None:
    """Waits until `check` holds; raises AssertionError on a timeout, with the screen of `armed_app` if there is one."""
    began = time.monotonic()
    while not check():
        waited = time.monotonic() - began
        assert waited < timeout, f"never {what}:\n{armed_app.app.read_screen() if armed_app else ''}"
        time.sleep(poll_after(waited))


def make_removal_script(sandbox: Sandbox, phrase: str, name: str, then: str) -> Path:
    """Scripts a turn that asks to remove a file of the project `shop`; the file."""
    sandbox.api.script(phrase, Tool("Bash", {"command": f"rm -f {name}", "description": "Remove it"}), Text(then))
    file = sandbox.make_project("shop", {name: "here\n"}) / name
    assert file.exists()
    return file


def read_model_input(sandbox: Sandbox, phrase: str) -> str:
    """What the model was told in the turn of a phrase once it had been answered, as text."""
    asked = sandbox.api.wait_for_call(phrase, 2)
    return json.dumps(asked.request["messages"])


class HeadlessClient:
    """`claude -p` in a thread, so that it can be answered meanwhile."""

    def __init__(self, sandbox: Sandbox, prompt: str, project: Path) -> None:
        self.result: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._run, args=(sandbox, prompt, project))
        self._thread.start()

    def _run(self, sandbox: Sandbox, prompt: str, project: Path) -> None:
        self.result = sandbox.run_headless(prompt, *ASKED, project=project)

    def wait_for_result(self) -> dict[str, Any]:
        """Waits for the end of the run and returns its result."""
        self._thread.join(30)
        return self.result
