"""Install, undo and restore as wholes: undo gives back each byte, and never costs what a person changed since."""

import json
from functools import partial

import pytest

from atm_tui.settings.apply import read_settings
from atm_tui.settings.backups import list_backups
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.options import EventSet, Options, Route
from tests.support.effort import sample

ORIGINAL = b'{\n    "model": "opus",\n    "hooks": {"Stop": []}\n}'


@pytest.mark.parametrize(
    "original", sample([ORIGINAL, None, b"{}", b"\xef\xbb\xbf{ }\r\n"], ORIGINAL, None, b"\xef\xbb\xbf{ }\r\n")
)
def test_undo_of_an_install_restores_every_byte_and_removes_the_copies(machine, original):
    if original is not None:
        machine.path.write_bytes(original)
    done = machine.install()
    assert machine.hooks.is_dir()
    machine.installer.undo(done)
    assert read_settings(machine.path) == original
    assert not machine.hooks.exists()
    assert machine.installer.receipts.list_targets() == []


def test_undo_of_an_update_restores_the_previous_install(machine):
    machine.path.write_bytes(ORIGINAL)
    machine.install(Options(events=EventSet.LEAN, statusline=False))
    lean = machine.path.read_bytes()
    done = machine.install()
    assert machine.path.read_bytes() != lean
    machine.installer.undo(done)
    assert machine.path.read_bytes() == lean
    assert machine.hooks.is_dir()
    machine.uninstall()
    assert machine.path.read_bytes() == ORIGINAL


def test_undo_of_an_uninstall_restores_the_copies(machine):
    machine.path.write_bytes(ORIGINAL)
    machine.install()
    installed = machine.path.read_bytes()
    done = machine.uninstall()
    assert not machine.hooks.exists()
    machine.installer.undo(done)
    assert machine.path.read_bytes() == installed
    assert machine.hooks.is_dir()
    machine.uninstall()
    assert machine.path.read_bytes() == ORIGINAL


def test_undo_after_a_change_removes_our_entries_and_keeps_the_change(machine):
    machine.path.write_bytes(ORIGINAL)
    done = machine.install()
    machine.path.write_bytes(machine.path.read_bytes().replace(b'"opus"', b'"sonnet"'))
    (undone,) = machine.installer.undo(done)
    assert machine.path.read_bytes() == ORIGINAL.replace(b'"opus"', b'"sonnet"')
    assert undone.notes


def test_undo_that_would_lose_a_change_is_refused(machine):
    machine.path.write_bytes(ORIGINAL)
    machine.install(Options(events=EventSet.LEAN))
    done = machine.install()
    changed = machine.path.read_bytes().replace(b'"opus"', b'"sonnet"')
    machine.path.write_bytes(changed)
    with pytest.raises(SettingsError, match="changed since"):
        machine.installer.undo(done)
    assert machine.path.read_bytes() == changed


def test_undo_of_nothing_writes_nothing(machine):
    machine.path.write_bytes(ORIGINAL)
    machine.install()
    before = machine.path.stat()
    assert machine.installer.undo(machine.install()) == []
    assert machine.path.stat() == before


@pytest.mark.parametrize("now_there", sample([b"\xff\xfe broken", b"{,}", None, b'{"other": 1}'], b"{,}", None))
def test_a_backup_replaces_whatever_is_there(machine, now_there):
    machine.path.write_bytes(ORIGINAL)
    machine.install()
    if now_there is None:
        machine.path.unlink()
    else:
        machine.path.write_bytes(now_there)
    plan = machine.installer.plan_restore(machine.path, list_backups(machine.path)[0])
    assert plan.make_diff()
    applied = machine.installer.restore(plan)
    assert machine.path.read_bytes() == ORIGINAL
    assert (applied.backup.read_bytes() if applied.backup else None) == now_there


def test_a_projects_shared_file_gets_no_line_unless_asked(machine):
    planner = machine.installer.make_planner(Options(), shared=[machine.path])
    assert b"statusLine" not in (planner(machine.path, None).after or b"")
    asked = machine.installer.make_planner(Options(statusline=True), shared=[machine.path])
    assert b"statusLine" in (asked(machine.path, None).after or b"")
    assert b"statusLine" in (machine.installer.make_planner(Options())(machine.path, None).after or b"")


def test_the_plugin_is_written_and_removed_with_its_last_use(machine):
    machine.install(Options(route=Route.PLUGIN))
    files = list(machine.installer.plugin.rglob("hooks.json"))
    assert set(json.loads(files[0].read_text())["hooks"]) >= {"Stop", "SessionStart"}
    machine.uninstall()
    assert not machine.installer.plugin.exists()


def test_a_failure_leaves_no_unused_copy(machine):
    machine.path.write_bytes(ORIGINAL)
    planner = machine.installer.make_planner(Options())
    plan = planner(machine.path, ORIGINAL)
    machine.path.write_bytes(b'{"hooks": [1]}')
    with pytest.raises(SettingsError, match="line 1"):
        machine.installer.install([plan], partial(planner), Options())
    assert not machine.hooks.exists()
    assert machine.path.read_bytes() == b'{"hooks": [1]}'
