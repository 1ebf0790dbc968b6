"""A person's machine in a folder, with the wizard on it: real files, the real installer, a fixed clock."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from atm_tui.monitor.read_once import read_sessions
from atm_tui.screens.wizard import WizardScreen
from atm_tui.screens.wizard_app import NO_KEYS, WizardApp
from atm_tui.settings.all_checks import run_all_checks
from atm_tui.settings.check import Check, Level
from atm_tui.settings.command import Commands, find_interpreter
from atm_tui.settings.installer import Installer
from atm_tui.settings.options import Options
from atm_tui.settings.receipt import Receipts
from atm_tui.settings.setup import Setup
from atm_tui.settings.survey import list_targets
from tests.support.screen_driver import ScreenDriver
from tests.support.waiting import PATIENCE

OTHERS = b"""{
  "model": "opus",
  "permissions": { "allow": ["Bash(npm run test:*)"] },
  "statusLine": { "type": "command", "command": "echo mine" },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "~/bin/guard.sh --strict" }] },
      { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "/opt/tools/[bold red]lint[/]" }] }
    ],
    "Stop": [
      { "hooks": [{ "type": "command", "command": "/opt/other/bell.sh" }] }
    ]
  }
}
"""
"""Settings in which other tools have hooks; one of them is spelled like markup."""

FINE = (
    Check("hooks", Level.OK, "/somewhere/settings.json", "installed and current, 24 events"),
    Check("hook", Level.OK, "/somewhere/settings.json", "runs, 19 ms", "", 19.4),
)
"""What a doctor might say; the real one runs every program, which takes a while."""

NOON = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
Checks = Callable[[], Iterator[Check]]


class WizardHome:
    """`file` is the user's settings file, `project` and `local` those of the folder that the wizard is opened in."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.config_dir = home / ".claude"
        self.file = self.config_dir / "settings.json"
        self.folder = home / "src" / "shop"
        self.project = self.folder / ".claude" / "settings.json"
        self.local = self.folder / ".claude" / "settings.local.json"
        self.hooks = home / "data" / "hooks" / "atm_hooks"
        self.config_dir.mkdir()
        self.project.parent.mkdir(parents=True)
        self.at = NOON
        self.commands = Commands(find_interpreter(), self.hooks, home / "state")
        self.checks: Checks = lambda: iter(FINE)
        self.picked = frozenset([self.file])
        self.options = Options()
        self.screen: WizardScreen

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at

    def run_real_checks(self) -> Iterator[Check]:
        return run_all_checks([self.config_dir], self.commands.state, self.folder, read_sessions)

    def read_all_files(self) -> dict[str, bytes]:
        """All files below the home folder."""
        return {str(path.relative_to(self.home)): path.read_bytes() for path in self.home.rglob("*") if path.is_file()}

    def make_setup(self) -> Setup:
        receipts = Receipts(self.home / "data" / "settings")
        installer = Installer(self.commands, receipts, self.config_dir, self.home / "data" / "plugin", self.now)
        found = list_targets([self.config_dir], self.folder)
        return Setup(installer, found, self.picked, self.options, str(self.home), self.checks)

    @asynccontextmanager
    async def run_wizard(
        self, size: tuple[int, int] = (80, 24), *, ascii_only: bool = False, keys: Mapping[str, Any] = NO_KEYS
    ) -> AsyncIterator["WizardDriver"]:
        app = WizardApp(self.make_setup(), ascii_only=ascii_only, keys=keys)
        async with app.run_test(size=size) as pilot:
            wizard = WizardDriver(app, pilot)
            await wizard.wait_for("where")
            await wizard.wait_until(lambda: "─ contents" not in wizard.text)
            yield wizard


class WizardDriver(ScreenDriver):
    """The wizard that runs, and what a test wants to know of it."""

    def __init__(self, app: WizardApp, pilot: Pilot[object]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def footer(self) -> str:
        return self.lines[-1]

    async def wait_until(self, holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            await self.pilot.pause()
            if holds():
                return
            await asyncio.sleep(0.02)
        pytest.fail(f"did not come true:\n{self.text}")

    async def wait_for(self, *texts: str) -> None:
        """Waits until all of these are on the screen."""
        await self.wait_until(lambda: all(text in self.text for text in texts))

    async def go_to_diff(self) -> None:
        await self.press("enter")
        await self.wait_for("2 of 4")
        await self.press("enter")
        await self.wait_for("3 of 4", "summary")

    async def complete(self) -> None:
        """All four steps."""
        await self.go_to_diff()
        await self.press("a")
        await self.wait_for("4 of 4", "applied and checked")
