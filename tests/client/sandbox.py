"""A scratch home with the real client, the scripted API and a private tmux server: where the client's tests happen."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from atm_tui.cli.output import format_json
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.view.status_json import build_session_json
from tests.client.api import Api
from tests.client.client import READY, Client
from tests.support.forked import run_command
from tests.support.needs import CLIENT_VERSION
from tests.support.program import ATM_TUI
from tests.support.tmux import Pane, Tmux, mark_as_started
from tests.support.waiting import PATIENCE, poll_after

API_KEY = "sk-ant-api03-local-test-key-000000000000000"
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "IS_SANDBOX": "1",
}
"""Keeps the client on loopback, and lets it run as root."""
CALM = {"prefersReducedMotion": True, "spinnerTipsEnabled": False}
"""A person's settings of the client: without animations it takes less time of the processor. It shows a text when it is whole."""
"""The product as it is installed beside the Python that runs the tests."""


class Sandbox:
    """One person's machine, as far as Claude Code and atm-tui see it. Times are epoch seconds, durations seconds."""

    def __init__(self, folder: Path, program: str, tmux: str) -> None:
        self.program = program
        self.home = folder / "home"
        self.config_dir = self.home / ".claude"
        self.state_dir = self.home / "state"
        self.data_dir = self.home / "data"
        self.work = self.home / "work"
        self.temporary = folder / "tmp"
        self.config_dir.mkdir(parents=True)
        self.work.mkdir()
        self.temporary.mkdir()
        self.clients: list[Client] = []
        self.panes: list[Pane] = []
        self._monitor: LiveMonitor | None = None
        self.last_status: dict[str, Any] | None = None
        self.observed_at: float | None = None
        """When what was last looked at was read."""
        self._write_profile()
        self.api = Api()
        self.tmux = Tmux(tmux, self.base_env)

    @property
    def base_env(self) -> dict[str, str]:
        """A clean environment, without anything of the machine's user."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": os.environ["TZ"],
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            "TMPDIR": str(self.temporary),
        }

    @property
    def client_env(self) -> dict[str, str]:
        """What the client gets on top: the API on loopback, and no other traffic."""
        return {**QUIET, "ANTHROPIC_BASE_URL": self.api.url, "ANTHROPIC_API_KEY": API_KEY}

    @property
    def atm_env(self) -> dict[str, str]:
        """What atm-tui gets on top: its folders inside the scratch home. The client does not get these."""
        return {"ATM_STATE_DIR": str(self.state_dir), "ATM_DATA_DIR": str(self.data_dir)}

    def _write_profile(self) -> None:
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
        profile = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": CLIENT_VERSION,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [API_KEY[-20:]], "rejected": []},
            # Trust covers the folders below.
            "projects": {str(self.work): trusted},
        }
        (self.home / ".claude.json").write_text(json.dumps(profile))
        (self.config_dir / "settings.json").write_text(json.dumps(CALM))

    def make_project(self, name: str, files: Mapping[str, str] | None = None) -> Path:
        """Makes a trusted project folder with these files (text by name)."""
        folder = self.work / name
        folder.mkdir(exist_ok=True)
        for path, text in (files or {}).items():
            (folder / path).write_text(text)
        return folder

    def start_client(
        self,
        project: Path,
        *arguments: str,
        size: tuple[int, int] = (160, 45),
        env: Mapping[str, str] | None = None,
    ) -> Client:
        """Starts an interactive client in a pane of its own, and waits until it takes input."""
        pane = self.tmux.start(
            [self.program, *arguments], size=size, cwd=project, env={**self.client_env, **(env or {})}
        )
        client = Client(pane, self.config_dir)
        self.clients.append(client)
        client.wait_screen(READY)
        client.wait_status("idle")
        return client

    def run_headless(
        self, prompt: str, *arguments: str, project: Path, env: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Runs `claude -p` to its end and returns its result."""
        done = subprocess.run(
            [self.program, "-p", prompt, "--output-format", "json", *arguments],
            cwd=project,
            env={**self.base_env, **self.client_env, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout.startswith("{"), f"claude -p ended with {done.returncode}: {done.stdout}{done.stderr}"
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def run_atm_tui(self, *arguments: str) -> str:
        """Runs an atm-tui command as a person does, and returns its output; AssertionError with its message when it fails."""
        done = run_command(arguments, self.home, {**self.base_env, **self.atm_env})
        assert done.code == 0, f"atm-tui {' '.join(arguments)} ended with {done.code}:\n{done.err}"
        return done.out

    def install(self) -> None:
        """Registers our hooks in the scratch home, as a person does."""
        self.run_atm_tui("install", "--yes", "--config-dir", str(self.config_dir))

    def read_status(self) -> dict[str, Any]:
        """Runs `atm-tui status --json`."""
        status: dict[str, Any] = json.loads(self.run_atm_tui("status", "--json"))
        self.last_status = status
        self.observed_at = status["at"]
        return status

    def read_session(self, session_id: str) -> dict[str, Any]:
        """Reads one session of the status; AssertionError when it is not there."""
        found: list[dict[str, Any]] = [row for row in self.read_status()["sessions"] if row["session_id"] == session_id]
        assert len(found) == 1, f"{session_id} is in the status {len(found)} times"
        return found[0]

    def check_session(self, session_id: str, check: Callable[[dict[str, Any]], object]) -> dict[str, Any] | None:
        """Returns one session of the status if `check` holds for it, else None; AssertionError when it is not there.

        Looks in this process first, which costs little while something is waited for; then `atm-tui status` must agree.
        """
        if self._monitor is None:
            self._monitor = LiveMonitor(self.state_dir, [self.config_dir], Config())
        self._monitor.refresh()
        session = self._monitor.fleet.sessions.get(session_id)
        assert session is not None, f"{session_id} is not among the sessions"
        if not check(json.loads(format_json(build_session_json(session, time.time())))):
            return None
        row = self.read_session(session_id)
        return row if check(row) else None

    def start_app(self, size: tuple[int, int] = (120, 40), program: Sequence[str] = (ATM_TUI,)) -> Pane:
        """Starts the app in a pane of its own, which stays after the app's end."""
        mark_as_started(self.state_dir)
        pane = self.tmux.start(program, size=size, env=self.atm_env, stay=True)
        self.panes.append(pane)
        return pane

    def read_screen(self, pane: Pane) -> str:
        """Reads what a pane shows now, and notes the time for `measure_until`."""
        screen = pane.read_screen()
        self.observed_at = time.time()
        return screen

    def measure_until(self, check: Callable[[], object]) -> float:
        """Waits until `check` holds; returns how many seconds that took.

        `check` returns something true, or raises AssertionError or returns something false when it does not hold yet.
        What counts is when the data was read that `check` looked at, not how long its process took to start. Raises
        AssertionError with the last reason, the last status and all screens when it never held.
        """
        since = time.time()
        while True:
            self.observed_at = None
            try:
                held, reason = bool(check()), "the check returned something false"
            except AssertionError as error:
                held, reason = False, str(error)
            if held:
                return max(0.0, (self.observed_at or time.time()) - since)
            if (waited := time.time() - since) > PATIENCE:
                raise AssertionError(f"not so within {PATIENCE} s: {reason}\n{self._describe_all()}")
            time.sleep(poll_after(waited))

    def _describe_all(self) -> str:
        """Describes what the status and all screens showed last, for the message of a failure."""
        parts = [f"-- status\n{json.dumps(self.last_status, indent=1)}"]
        parts += [
            f"-- client {client.pid}: {client.read_registry()}\n{client.read_screen()}" for client in self.clients
        ]
        parts += [f"-- atm-tui in {pane.target}\n{pane.read_screen()}" for pane in self.panes]
        return "\n".join(parts)

    def close(self) -> None:
        """Ends the clients, the tmux server and the API."""
        try:
            self.tmux.close()
        finally:
            self.api.close()
