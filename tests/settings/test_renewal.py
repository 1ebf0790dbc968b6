"""After an upgrade: the installed hook is older than the app. Header and doctor say so, and one key renews it."""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from atm_tui import __version__, paths
from atm_tui.monitor.read_once import read_sessions
from atm_tui.screens.wizard_app import WizardApp
from atm_tui.settings.hook_version import describe_copy, read_hook_version
from atm_tui.settings.hookfiles import is_current
from atm_tui.settings.setup import Setup
from atm_tui.settings.status import HookStatus, read_hooks_status
from tests.support.forked import CommandResult
from tests.support.wizard import FINE, WizardDriver

Run = Callable[..., CommandResult]
OPTIONS = ("--tmux", "--notify", "--events", "lean", "--sync", "Notification", "--no-statusline", "--agent-teams")


def make_copy(hooks: Path, version: str | None) -> None:
    """Makes the copied hook files those of another version; None: of one that had no version."""
    file = hooks / "__init__.py"
    text = re.sub(r"\n__version__ = .*\n", f'\n__version__ = "{version}"\n' if version else "", file.read_text())
    file.write_text(text)
    assert read_hook_version(hooks) == (version or "")


@pytest.fixture
def hooks(home: Path, run: Run) -> Path:
    """The copied files of an installation with options of one's own."""
    assert run("install", "--yes", *OPTIONS).code == 0
    return home / "data/atm-tui/hooks/atm_hooks"


def test_an_older_hook_is_renewed_with_the_options_that_it_has(home: Path, hooks: Path, run: Run) -> None:
    settings = home / ".claude/settings.json"
    before = settings.read_bytes()
    make_copy(hooks, "0.1.9")
    told = f"the installed hook is of atm-tui 0.1.9, older than this one ({__version__})"
    report = read_hooks_status(home / ".claude", paths.find_state_dir())
    assert report.status is HookStatus.STALE
    assert report.message.startswith(
        f"The hook (0.1.9) is older than this app ({__version__}): press i to renew it, or run"
    )
    asked = run("doctor")
    assert asked.code == 1
    assert told in asked.out
    assert "Run `atm-tui install --renew`" in asked.out
    shown = run("install", "--renew", "--dry-run")
    assert f"the copied hook files are renewed, 0.1.9 → {__version__}" in shown.out
    assert "no change" in shown.out
    unasked = run("install", "--renew")
    assert unasked.code == 2, "without a terminal and --yes it must not renew silently"
    assert read_hook_version(hooks) == "0.1.9"
    done = run("install", "--renew", "--yes")
    assert (done.code, done.err) == (0, "")
    assert is_current(hooks)
    assert settings.read_bytes() == before
    assert "Nothing to do" in run("install", "--renew", "--yes").out


def test_an_old_command_is_renewed_too(home: Path, hooks: Path, run: Run) -> None:
    settings = home / ".claude/settings.json"
    current = settings.read_text()
    settings.write_text(current.replace("-I -S ", "-I "))
    make_copy(hooks, None)
    assert f"the installed hook is older than this one ({__version__})" in describe_copy(hooks)
    message = read_hooks_status(home / ".claude", paths.find_state_dir()).message
    assert message.startswith(f"The hook is older than this app ({__version__}): press i")
    assert run("install", "--renew", "--yes").code == 0
    assert settings.read_text() == current


def test_a_newer_hook_is_not_replaced_by_a_renewal(home: Path, hooks: Path, run: Run) -> None:
    make_copy(hooks, "99.0.0")
    message = read_hooks_status(home / ".claude", paths.find_state_dir()).message
    assert message.startswith("The hook (99.0.0) is newer than this app")
    assert message.endswith("update atm-tui; until then it shows what it can read.")
    done = run("install", "--renew", "--yes")
    assert done.code == 1
    assert "Next: update atm-tui" in done.err
    assert read_hook_version(hooks) == "99.0.0"


def test_there_is_nothing_to_renew_where_nothing_is_installed(run: Run) -> None:
    done = run("install", "--renew", "--yes")
    assert done.code == 1
    assert "nothing to renew" in done.err


async def test_one_key_shows_the_renewal_and_another_does_it(home: Path, hooks: Path) -> None:
    """What `i` opens in the app."""
    settings = home / ".claude/settings.json"
    before = settings.read_bytes()
    make_copy(hooks, "0.1.9")
    os.chdir(home)
    app = WizardApp(replace(Setup.create(read_sessions), checks=lambda: iter(FINE)))
    async with app.run_test(size=(80, 24)) as pilot:
        wizard = WizardDriver(app, pilot)
        await wizard.wait_for("Renew · what will change", f"0.1.9 → {__version__}", "Your settings stay as they are.")
        assert read_hook_version(hooks) == "0.1.9"
        await wizard.press("a")
        await wizard.wait_for("Renew · checked", f"those of {__version__} now")
    assert is_current(hooks)
    assert settings.read_bytes() == before
