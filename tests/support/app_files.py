"""The app on real state files: events go through the real hook code, and the screen shows the result."""

import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from atm_hooks import journal, payload
from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.live import LiveMonitor
from atm_tui.widgets.fleet_view import FleetView
from atm_tui.widgets.session_tree import SessionTree
from tests.support.screen_driver import ScreenDriver
from tests.support.waiting import PATIENCE, comes_true


class AppDriver(ScreenDriver):
    """Drives a running app and reads its screen."""

    def __init__(self, app: AtmApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def tree(self) -> SessionTree:
        return self.app.fleet_screen.tree_view.session_tree

    @property
    def view(self) -> FleetView:
        """The view that is shown."""
        assert self.app.screen is self.app.fleet_screen, self.text
        return self.app.fleet_screen.view

    @property
    def lines(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    @property
    def said(self) -> str:
        """The last line: the keys, or a message."""
        return self.lines[-1].strip()

    @property
    def selected(self) -> tuple[str, ...] | None:
        selected: tuple[str, ...] | None = self.app.fleet_screen.tree_view.session_tree.selected
        return selected

    async def wait_until(self, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        assert await comes_true(holds, seconds), f"did not come true:\n{self.text}"
        await self.pilot.pause()

    async def rest(self) -> None:
        """Waits until blocked keys and clicks work again."""
        await self.wait_until(lambda: not self.app.arming.keys.update())

    async def wait_for_text(self, text: str) -> None:
        await self.wait_until(lambda: text in self.text)


class HomeOnDisk:
    """A home with a state folder and a config folder of Claude Code."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / "state"
        self.config_dir = home / ".claude"
        self.work = home / "work"
        self.work.mkdir(parents=True)
        self.config_dir.mkdir()
        # ahead of the real clock, so that events of a minute ago are later than the start of their processes
        self.ahead = 300.0
        self.now = time.time() + self.ahead

    def send_hook(
        self, ago: float, event: str, session: str, *, pid: int | None = None, env: Any = (), **fields: Any
    ) -> None:
        """Records an event as the client sends it, `ago` seconds before now; `pid` is the client's, by default this process."""
        journal.prepare_folders(str(self.state))
        data = {"hook_event_name": event, "session_id": session, "cwd": str(self.work), **fields}
        environ = {"CLAUDE_PID": str(pid or os.getpid()), "CLAUDE_PROJECT_DIR": str(self.work), **dict(env)}
        journal.record_event(str(self.state), payload.parse_event(json.dumps(data).encode(), self.now - ago, environ))

    def clock(self) -> float:
        """Returns the time of the app."""
        return time.time() + self.ahead

    def start(self, session: str, ago: float = 100, **more: Any) -> None:
        """Records a session that has started and got its first prompt."""
        self.send_hook(ago, "SessionStart", session, source="startup", **more)
        self.send_hook(
            ago - 1, "UserPromptSubmit", session, prompt=f"do {session[:8]}", prompt_id=f"p-{session}", **more
        )

    def ask(self, session: str, ago: float, given: dict[str, Any], **more: Any) -> None:
        """Records a request for permission to run Bash."""
        self.send_hook(ago, "PreToolUse", session, tool_name="Bash", tool_input=given, tool_use_id=f"t{ago}", **more)
        self.send_hook(ago, "PermissionRequest", session, tool_name="Bash", tool_input=given, **more)

    def write_transcript(self, session: str, *calls: tuple[str, dict[str, Any]]) -> Path:
        """Writes a transcript with these tool calls."""
        path = self.config_dir / "projects" / "-work" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = [
            {"type": "tool_use", "id": f"t{n}", "name": name, "input": given} for n, (name, given) in enumerate(calls)
        ]
        line = {
            "type": "assistant",
            "sessionId": session,
            "message": {"id": "m", "role": "assistant", "content": parts},
        }
        path.write_text(json.dumps(line) + "\n")
        return path

    @asynccontextmanager
    async def run_app(
        self,
        size: tuple[int, int] = (120, 40),
        config: Config | None = None,
        app: Callable[[], App[None]] | None = None,
    ) -> AsyncIterator[AppDriver]:
        """Runs the app on these files."""
        config = config or Config()
        running = app() if app else AtmApp(LiveMonitor(self.state, [self.config_dir], config, now=self.clock), config)
        assert isinstance(running, AtmApp)
        async with running.run_test(size=size) as pilot:
            driver = AppDriver(running, pilot)
            await driver.wait_until(lambda: running.screen_stack[0].has_class("-loaded"))
            yield driver


def settle(home: Path, monkeypatch: pytest.MonkeyPatch) -> HomeOnDisk:
    """Points all paths of the app to a new home, and returns it."""
    for name in (
        "NO_COLOR",
        "TEXTUAL_THEME",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "VISUAL",
        "EDITOR",
        "PAGER",
        "CLAUDE_CONFIG_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
    disk = HomeOnDisk(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ATM_STATE_DIR", str(disk.state))
    monkeypatch.setenv("ATM_DATA_DIR", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    return disk
