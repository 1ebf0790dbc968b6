"""Shared by the installer's tests: fixed commands, a private home, and one round trip on bytes."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from atm_tui.cli.install import add_install_arguments, run_install
from atm_tui.settings.command import Commands
from atm_tui.settings.options import Options
from atm_tui.settings.plan import Plan, plan_install, plan_uninstall
from atm_tui.settings.receipt import Receipt, Receipts
from tests.support.compiled_hooks import reuse_compiled_hooks
from tests.support.effort import LONG
from tests.support.forked import CommandResult, run_command
from tests.support.installing import COMMANDS, Machine
from tests.support.privileges import OTHER_USER

SETTINGS = Path("/home/user/.claude/settings.json")

RUNNER = """
import sys
from atm_tui.cli.main import main
sys.exit(main())
"""

Install = Callable[..., Plan]


@pytest.fixture(autouse=True)
def _compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiles the hooks once for all tests of a short run, but for the tests of the files and their permissions."""
    if not LONG and request.path.stem not in ("test_settings_hookfiles", "test_settings_attributes"):
        reuse_compiled_hooks(monkeypatch)


@pytest.fixture
def nothing_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast this machine is at the moment is no matter."""
    monkeypatch.setattr("atm_tui.settings.hook_speed.SLOW_MS", 60_000.0)
    monkeypatch.setattr("atm_tui.settings.hook_speed.SLOW_RATIO", 1e9)


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
def config_dir(home: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A config folder into which atm-tui is installed; what the command said is not kept."""
    parser = argparse.ArgumentParser()
    add_install_arguments(parser)
    assert run_install(parser.parse_args(["--yes"])) == 0
    capsys.readouterr()
    return home / ".claude"


@pytest.fixture
def process(home: Path) -> Callable[..., subprocess.Popen[str]]:
    """process("install", "--yes") -> the real command in a process of its own."""

    def start(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RUNNER, *words]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, text=True, cwd=home, **pipes)

    return start


@pytest.fixture
def run(home: Path) -> Callable[..., CommandResult]:
    """Runs a command to its end: (exit code, stdout, stderr)."""
    return lambda *words: run_command(words, home, os.environ)


@pytest.fixture
def receipts(home: Path) -> Receipts:
    return Receipts(home / "data" / "atm-tui" / "settings")


@pytest.fixture
def machine(home: Path, receipts) -> Machine:
    made = Machine(home, receipts)
    made.path.parent.mkdir()
    return made


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that nobody owns and can reach, outside of pytest's private one."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        os.chown(folder, OTHER_USER, OTHER_USER)
    try:
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(folder)
