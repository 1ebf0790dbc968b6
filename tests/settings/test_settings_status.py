"""What the app's header says of the hooks: right for each state, and cheap when nothing changed."""

import json
from pathlib import Path

import pytest

from atm_tui import paths
from atm_tui.settings import status as status_module
from atm_tui.settings.status import HookStatus, read_hooks_status


def edit(config_dir: Path, change) -> None:
    """The settings through a function, as a person's editor would leave them."""
    path = config_dir / "settings.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=2))


def read_status(config_dir: Path) -> tuple[HookStatus, str]:
    report = read_hooks_status(config_dir, paths.find_state_dir())
    return report.status, report.message


def test_installed(config_dir):
    assert read_status(config_dir) == (HookStatus.INSTALLED, "")


def test_lean_counts_as_installed(config_dir, run):
    run("install", "--yes", "--events", "lean", "--no-statusline")
    assert read_status(config_dir)[0] is HookStatus.INSTALLED


def test_missing(config_dir, home, run):
    run("uninstall", "--yes")
    assert read_status(config_dir)[0] is HookStatus.MISSING
    (home / ".claude/settings.json").write_text('{"statusLine": {"type": "command", "command": "x # atm-tui"}}')
    status, message = read_status(config_dir)
    assert status is HookStatus.MISSING
    assert "atm-tui install" in message


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda content: content["hooks"].pop("Stop"), "not registered for Stop"),
        (lambda content: content["hooks"]["Stop"].append(content["hooks"]["Stop"][0]), "more than once for Stop"),
        (
            lambda content: content["hooks"].update(_move_script(content, "/gone/atm_hooks/hook.py")),
            "file is gone: /gone",
        ),
        (lambda content: content["hooks"].update(_command(content, "python3 /x/atm_hooks/hook.py")), "older atm-tui"),
    ],
)
def test_stale(config_dir, change, text):
    edit(config_dir, change)
    status, message = read_status(config_dir)
    assert status is HookStatus.STALE
    assert text in message
    assert "atm-tui install" in message


def _command(content, command):
    return {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}


def _move_script(content, script):
    old = content["hooks"]["Stop"][0]["hooks"][0]["command"].split()
    return _command(content, " ".join([*old[:3], script, *old[4:]]))


def test_stale_when_the_copy_differs_and_when_it_writes_elsewhere(config_dir, home):
    assert "this app" not in read_status(config_dir)[1]
    report = read_hooks_status(config_dir, home / "other")
    assert report.status is HookStatus.STALE
    assert "reads" in report.message
    hook = home / "data/atm-tui/hooks/atm_hooks/hook.py"
    hook.write_text(hook.read_text() + "\n# changed\n")
    status, message = read_status(config_dir)
    assert status is HookStatus.STALE
    assert "is not that of this app" in message


def test_disabled_by_the_user_and_by_an_administrator(config_dir, home, monkeypatch):
    edit(config_dir, lambda content: content.update(disableAllHooks=True))
    assert read_status(config_dir) == (HookStatus.DISABLED, "disableAllHooks is true in settings.json: no hook runs.")
    edit(config_dir, lambda content: content.update(disableAllHooks=False))
    assert read_status(config_dir)[0] is HookStatus.INSTALLED
    managed = home / "policy" / "managed-settings.d" / "10-hooks.json"
    monkeypatch.setattr(status_module, "locate_managed_dir", lambda: home / "policy")
    assert read_status(config_dir)[0] is HookStatus.INSTALLED
    managed.parent.mkdir(parents=True)
    managed.write_text('{"allowManagedHooksOnly": true}')
    status, message = read_status(config_dir)
    assert status is HookStatus.DISABLED
    assert "administrator" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "line 1, column 8: trailing comma"),
        ('{"model": 3}', "model is number, not string"),
        ('{"hooks": {"PreToolUse": {}}}', "hooks.PreToolUse is object"),
    ],
)
def test_unreadable_for_the_client(home, text, message):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(text)
    status, said = read_status(home / ".claude")
    assert status is HookStatus.UNREADABLE
    assert message in said


def test_a_folder_in_its_place_is_unreadable(home):
    (home / ".claude/settings.json").mkdir(parents=True)
    assert read_status(home / ".claude")[0] is HookStatus.UNREADABLE


def test_plugin_route(config_dir, home, run):
    run("install", "--yes", "--route", "plugin")
    assert read_status(config_dir)[0] is HookStatus.MISSING
    edit(config_dir, lambda content: content.update(enabledPlugins={"atm-tui@atm-tui": True}))
    assert read_status(config_dir)[0] is HookStatus.INSTALLED
    (home / "data/atm-tui/marketplace/plugin/hooks/hooks.json").unlink()
    assert read_status(config_dir)[0] is HookStatus.STALE


def test_unchanged_files_are_not_read_again(config_dir, monkeypatch):
    first = read_hooks_status(config_dir, paths.find_state_dir())
    monkeypatch.setattr(status_module, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    assert read_hooks_status(config_dir, paths.find_state_dir()) is first
