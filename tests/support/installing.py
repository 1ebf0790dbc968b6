"""A home in which hooks are installed and removed, with a clock that goes on a second at each look."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from atm_tui.settings.apply import Applied, read_settings
from atm_tui.settings.command import Commands, find_interpreter
from atm_tui.settings.installer import Installer
from atm_tui.settings.options import Options

DEFAULTS = Options()


COMMANDS = Commands(Path("/usr/bin/python3.11"), Path("/home/user/data/hooks/atm_hooks"), Path("/home/user/state"))
"""The commands that settings files of tests have."""


class Machine:
    def __init__(self, home: Path, receipts) -> None:
        self.path = home / ".claude" / "settings.json"
        self.hooks = home / "data" / "atm-tui" / "hooks" / "atm_hooks"
        self.at = datetime(2026, 11, 27, 12, 0, 0, tzinfo=UTC)
        commands = Commands(find_interpreter(), self.hooks, home / "state")
        self.installer = Installer(commands, receipts, self.path.parent, home / "plugin", self.now)

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at

    def install(self, options: Options = DEFAULTS) -> list[Applied]:
        planner = self.installer.make_planner(options)
        return self.installer.install([planner(self.path, read_settings(self.path))], planner, options)

    def uninstall(self) -> list[Applied]:
        plan = self.installer.plan_uninstall(self.path, read_settings(self.path))
        return self.installer.uninstall([plan])[0]
