"""A config folder with answering switched on, a process that stands in for the client, and a monitor beside real hooks."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from atm_tui.config import Config
from atm_tui.model.request import Request
from atm_tui.monitor.live import LiveMonitor
from tests.support.answering import WaitingHook, make_payload, start_asker
from tests.support.hook_sandbox import HookSandbox
from tests.support.waiting import PATIENCE

HANDLER = {"type": "command", "command": "/usr/bin/python3 -I -S /x/atm_hooks/hook.py /s --answers # atm-tui"}


class AnswerHarness:
    """A state folder with the real hooks, a config folder with answering switched on, and the id of a live client."""

    def __init__(self, folder: Path, pid: int) -> None:
        self.sandbox = HookSandbox(folder / "state")
        self.config_dir = folder / "claude"
        self.pid = pid
        self.config_dir.mkdir()
        self.install()

    def install(self, *, answers: bool = True) -> None:
        handler = HANDLER if answers else {**HANDLER, "command": HANDLER["command"].replace(" --answers", "")}
        hooks = {"PermissionRequest": [{"hooks": [handler]}]}
        (self.config_dir / "settings.json").write_text(json.dumps({"hooks": hooks}))

    def make_monitor(self, config: Config | None = None, portion: int | None = None) -> LiveMonitor:
        return LiveMonitor(self.sandbox.root, [self.config_dir], config or Config(), portion=portion)

    @contextmanager
    def open_request(self, tool: str = "Bash", given: object = None, **fields: Any) -> Iterator[WaitingHook]:
        """Runs a hook that waits, in a session whose client lives."""
        given = {"command": "npm test"} if given is None else given
        with start_asker(self.sandbox, make_payload(tool, given, **fields), CLAUDE_PID=str(self.pid)) as hook:
            assert hook.nonce, self.sandbox.read_log()
            yield hook

    def write_registry(self, status: str, at: float | None = None, waiting: str = "", session: str = "s1") -> None:
        """Writes the client's registry file."""
        folder = self.config_dir / "sessions"
        folder.mkdir(exist_ok=True)
        stamp = int(1000 * (at or time.time()))
        entry = {"pid": self.pid, "sessionId": session, "cwd": "/home/user/work/api", "startedAt": stamp - 9000}
        entry |= {"status": status, "updatedAt": stamp, "statusUpdatedAt": stamp, "waitingFor": waiting}
        temp = folder / "new"
        temp.write_text(json.dumps(entry))
        temp.replace(folder / f"{self.pid}.json")

    def send_hook(self, kind: str, **fields: Any) -> None:
        """Runs another hook of the same session."""
        self.sandbox.send_hook({**make_payload(), "hook_event_name": kind, **fields}, CLAUDE_PID=str(self.pid))


@contextmanager
def run_client() -> Iterator[subprocess.Popen[bytes]]:
    """Runs a process that does nothing."""
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            yield process
        finally:
            process.kill()


def make_armed(harness: AnswerHarness, config: Config | None = None) -> LiveMonitor:
    app = harness.make_monitor(config)
    app.refresh()
    assert app.arm(True) is None
    app.refresh()
    return app


def list_requests(app: LiveMonitor) -> tuple[Request, ...]:
    app.note_alive()
    app.refresh()
    return tuple(app.fleet.requests.values())


def get_only_request(app: LiveMonitor) -> Request:
    (found,) = list_requests(app)
    return found


def refresh_until(app: LiveMonitor, true: Callable[[], bool], seconds: float = PATIENCE) -> float | None:
    """Refreshes until `true` holds; returns the seconds it took, or None if it never did."""
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        list_requests(app)
        if true():
            return time.monotonic() - begin
        time.sleep(0.02)
    return None
