"""Shared by the installer's tests: fixed commands, a private home, and one round trip on bytes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from atm_tui.settings.command import Commands
from atm_tui.settings.options import Options
from atm_tui.settings.plan import Plan, plan_install, plan_uninstall
from atm_tui.settings.receipt import Receipt, Receipts

SETTINGS = Path("/home/user/.claude/settings.json")
COMMANDS = Commands(Path("/usr/bin/python3.11"), Path("/home/user/data/hooks/atm_hooks"), Path("/home/user/state"))

Install = Callable[..., Plan]


@pytest.fixture
def commands() -> Commands:
    return COMMANDS


@pytest.fixture
def install() -> Install:
    """install(bytes, receipt=None, **options) -> Plan."""

    def run(before: bytes | None, receipt: Receipt | None = None, **options: object) -> Plan:
        return plan_install(SETTINGS, before, Options(**options), COMMANDS, receipt)

    return run


@pytest.fixture
def uninstall() -> Install:
    def run(before: bytes | None, receipt: Receipt | None = None) -> Plan:
        return plan_uninstall(SETTINGS, before, receipt)

    return run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with all of our folders in it; nothing of the machine's is touched."""
    for name in ("ATM_STATE_DIR", "ATM_DATA_DIR", "ATM_CONFIG", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def receipts(home: Path) -> Receipts:
    return Receipts(home / "data" / "atm-tui" / "settings")
