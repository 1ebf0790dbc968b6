"""What the app says of the hooks: right for each state, and cheap when nothing changed."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from atm_tui import paths
from atm_tui.settings import status as status_module
from atm_tui.settings.hook_report import HookReport
from atm_tui.settings.kept_reports import MOST_KEPT, HookReports
from atm_tui.settings.status import HookStatus, read_hooks_status
from tests.support.waiting import wait_for_tick


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


# --- the report that is kept


def find_report(home: Path, cache: Path | None = None) -> HookReport:
    """The report of another command, a minute later."""
    reports = HookReports(paths.find_state_dir(), cache, lambda: time.time() + 60)
    found = reports.find(home / ".claude")
    assert reports.find(home / ".claude") is found
    return found


def list_changes(home: Path) -> Iterator[tuple[Callable[[], object], HookStatus]]:
    """Changes of all that a report depends on, one after the other, and the status after each."""
    settings, hooks, program = (
        home / ".claude/settings.json",
        home / "data/atm-tui/hooks/atm_hooks",
        home / "bin/python",
    )
    policy, part = home / "policy/managed-settings.d/10-hooks.json", hooks / "fold.py"
    good, code = settings.read_bytes(), part.read_bytes()
    yield lambda: settings.write_bytes(good.replace(b"{", b'{"disableAllHooks": true,', 1)), HookStatus.DISABLED
    yield lambda: settings.write_bytes(good), HookStatus.INSTALLED
    yield lambda: (policy.parent.mkdir(parents=True), policy.write_text("{}")), HookStatus.INSTALLED
    yield lambda: policy.write_text('{"allowManagedHooksOnly": true}'), HookStatus.DISABLED
    yield policy.unlink, HookStatus.INSTALLED
    yield lambda: part.write_bytes(code + b"# changed"), HookStatus.STALE
    yield lambda: part.write_bytes(code), HookStatus.INSTALLED
    yield (hooks / "more.py").touch, HookStatus.STALE
    yield (hooks / "more.py").unlink, HookStatus.INSTALLED
    yield lambda: program.chmod(0o600), HookStatus.STALE
    yield lambda: program.chmod(0o700), HookStatus.INSTALLED
    yield program.unlink, HookStatus.STALE
    yield lambda: program.symlink_to("/bin/sh"), HookStatus.INSTALLED
    yield hooks.unlink, HookStatus.STALE
    yield lambda: settings.write_text('{"enabledPlugins": {"atm-tui@atm-tui": true}}'), HookStatus.STALE
    yield locate_hooks_of_plugin(home).unlink, HookStatus.STALE
    yield lambda: settings.write_bytes(good + b"}"), HookStatus.UNREADABLE
    yield settings.unlink, HookStatus.MISSING


def locate_hooks_of_plugin(home: Path) -> Path:
    return home / "data/atm-tui/marketplace/plugin/hooks/hooks.json"


def test_a_kept_report_is_that_of_a_fresh_reading_after_any_change(config_dir, home, run, monkeypatch) -> None:
    run("install", "--yes", "--answers", "--route", "plugin")
    run("install", "--yes", "--answers", "--no-statusline")
    (home / "cache").mkdir()
    program = home / "bin" / "python"
    program.parent.mkdir()
    program.write_text("#!/bin/sh")
    program.chmod(0o700)
    settings = config_dir / "settings.json"
    settings.write_text(settings.read_text().replace(os.path.realpath(sys.executable), str(program)))
    monkeypatch.setattr("atm_tui.settings.hook_report.locate_managed_dir", lambda: home / "policy")
    monkeypatch.setattr(status_module, "locate_managed_dir", lambda: home / "policy")
    assert find_report(home) == HookReport(HookStatus.INSTALLED, "", answers=True) == find_report(home, home / "cache")
    for change, status in list_changes(home):
        wait_for_tick(home / "cache")
        change()
        fresh = find_report(home)
        assert fresh.status is status, fresh
        assert find_report(home, home / "cache") == fresh
        with monkeypatch.context() as patch:
            patch.setattr(status_module, "read_hooks_status", lambda *_: pytest.fail("read again"))
            assert find_report(home, home / "cache") == fresh


def test_a_kept_report_is_valid_only_for_its_folders(config_dir, home, monkeypatch) -> None:
    cache = home / "cache"
    assert find_report(home, cache).status is HookStatus.INSTALLED
    with monkeypatch.context() as patch:
        patch.setenv("ATM_STATE_DIR", str(home / "other"))
        assert find_report(home, cache).status is HookStatus.STALE
    assert find_report(home, cache).status is HookStatus.INSTALLED
    monkeypatch.setattr("atm_hooks.__path__", [str(home / "another version")])
    monkeypatch.setattr(status_module, "is_same", lambda _: False)
    monkeypatch.setattr("atm_tui.settings.inspection.is_same", lambda _: False)
    assert find_report(home, cache).status is HookStatus.STALE


def test_kept_reports_are_few_and_none_is_older_than_a_day(config_dir, home) -> None:
    cache, now = home / "cache", time.time()
    cache.mkdir()
    for number in range(MOST_KEPT + 20):  # those of as many folders, and of writers that were killed
        path = cache / f"hooks-{number:08x}{'.tmp' * (number % 2)}"
        path.write_text("kept")
        os.utime(path, (now - 60 - number, now - 60 - number))
    others = [cache / name for name in ("status-line", "hooks-mine", "hooks-0000000g", "transcripts")]
    for path in others:
        path.touch()
        os.utime(path, (1, 1))
    assert find_report(home, cache).status is HookStatus.INSTALLED
    kept = {path.name for path in cache.iterdir()} - {path.name for path in others}
    assert len(kept) == MOST_KEPT
    assert {"hooks-00000000", "hooks-00000001.tmp"} < kept
    assert all(path.exists() for path in others)
    for name in kept:
        (cache / name).write_text("damaged")
        os.utime(cache / name, (now - 90_000, now - 90_000))
    assert find_report(home, cache).status is HookStatus.INSTALLED
    (_,) = {path.name for path in cache.iterdir()} - {path.name for path in others}


def test_a_damaged_report_is_made_again(config_dir, home) -> None:
    cache = home / "cache"
    good = find_report(home, cache)
    (kept,) = cache.iterdir()
    for damage in (b"", b"x", kept.read_bytes().replace(b"installed", b"excellent")):
        kept.write_bytes(damage)
        assert find_report(home, cache) == good
    kept.unlink()
    cache.chmod(0o500)
    assert find_report(home, cache) == good
