"""The wizard on real files: it makes only the changes that it showed, and undo restores every byte."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from atm_tui.screens.controllers import key_input
from atm_tui.screens.wizard import WizardScreen
from atm_tui.settings.backups import list_backups
from tests.support.effort import sample
from tests.support.wizard import OTHERS

REFUSED = [
    (b'{\n  "a": 1,\n  // why\n}\n', "line 3, column 3", "  // why"),
    (b'{"hooks": {"Stop": {}}}', "line 1, column 20", "hooks.Stop"),
    (b'{"a": "\xff"}', "line 1, column 8", "UTF-8"),
    (b'{"k": "' + b"x" * 5000 + b'",}', "line 1, column 5009", "^"),
]
"""Content of a settings file, and the place and the text that the refusal shows."""


def list_commands(path: Path) -> str:
    return json.dumps(json.loads(path.read_bytes())["hooks"])


async def test_install_and_undo_through_all_steps(wizard_home) -> None:
    wizard_home.checks = wizard_home.run_real_checks
    async with wizard_home.run_wizard() as wizard:
        await wizard.go_to_diff()
        assert wizard_home.file.read_bytes() == OTHERS
        await wizard.press("a")
        await wizard.wait_for("applied and checked", "written and verified", "installed and current, 24 events", " ms")
        assert "settings.json.2026-11-27T12-00-0" in wizard.text
        written = list_commands(wizard_home.file)
        assert written.count("atm_hooks/hook.py") == 24
        assert "/opt/other/bell.sh" in written
        await wizard.press("z")
        await wizard.wait_for("undone", "as before", "hook files are removed")
        assert wizard_home.file.read_bytes() == OTHERS
        assert not wizard_home.hooks.exists()
        await wizard.press("enter")
        assert wizard.app.return_value == ()


@pytest.mark.parametrize(
    ("keys", "leave"),
    sample(
        [
            ((), "escape"),
            (("j", "space"), "q"),
            (("enter",), "escape"),
            (("enter", "space"), "q"),
            (("enter", "enter"), "escape"),
            (("enter", "enter", "d"), "q"),
            (("c",), "escape"),
        ],
        *((("enter", "enter", "d"), "q"), (("c",), "escape")),
    ),
)
async def test_leaving_at_any_step_changes_nothing(wizard_home, keys, leave) -> None:
    before = wizard_home.read_all_files()
    async with wizard_home.run_wizard() as wizard:
        for key in keys:
            await wizard.press(key)
            await wizard.pilot.pause(0.05)
        await wizard.press(leave)
        await wizard.wait_until(lambda: wizard.app.return_value is not None)
        assert wizard.app.return_value == ()
    assert wizard_home.read_all_files() == before


async def test_a_held_enter_stops_at_the_diff_and_writes_nothing(wizard_home) -> None:
    before = wizard_home.read_all_files()
    async with wizard_home.run_wizard() as wizard:
        await wizard.press(*["enter"] * 3)
        await wizard.wait_for("3 of 4", "summary")
        await wizard.press(*["enter"] * 20)
        await wizard.wait_for("3 of 4", "Enter writes nothing here")
        await wizard.press("escape")
        assert wizard.app.return_value == ()
    assert wizard_home.read_all_files() == before


async def test_its_keys_are_the_user_s(wizard_home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Footer, messages, chords and the keys of the list follow; a key that a command had before means nothing."""
    monkeypatch.setattr(key_input, "CHORD_SECONDS", 60.0)  # on a busy machine, the second key of a chord may come late,
    monkeypatch.setattr("atm_tui.screens.wizard.MESSAGE_TIME", 60.0)  # and so may the look at a message
    keys = {
        "wizard_forward": "n",
        "wizard_apply": "g w",
        "wizard_leave": ["X", "f10"],
        "cursor_down": "f7",
        "wizard_choose": "m",
        "cursor_first": "g g",
    }
    async with wizard_home.run_wizard((100, 24), keys=keys) as wizard:
        assert wizard.footer.split()[:4] == ["n", "next", "m", "pick"]
        assert "X leave" in wizard.footer
        await wizard.press("m", "n")
        await wizard.wait_for("pick a file first: m")
        await wizard.press("enter", "space", "j", "q", "escape")  # mean nothing now
        assert "1 of 4" in wizard.text
        await wizard.press("f7")
        assert "▌" in wizard.line_with("src/shop/.claude/settings.json")
        await wizard.press("k", "m", "n")
        await wizard.wait_for("2 of 4")
        await wizard.press("n")
        await wizard.wait_for("3 of 4", "summary", "g w apply")
        await wizard.press("n")
        await wizard.wait_for("n writes nothing here: press g w")
        await wizard.press("a", "g")
        await wizard.wait_for("g …", "w apply")
        assert wizard_home.file.read_bytes() == OTHERS
        await wizard.press("w")
        await wizard.wait_for("4 of 4", "applied and checked", "n close")
        await wizard.press("f10")
        await wizard.wait_until(lambda: wizard.app.return_value)
    async with wizard_home.run_wizard(keys={"wizard_leave": []}) as wizard:
        said = "".join(each.message for each in wizard.app._notifications)
        assert "keys.wizard_leave: needs a key" in said
        assert "the default keys work" in said
        await wizard.press("ctrl+c", "ctrl+c")  # as in the app
        assert wizard.app.return_value == ()


async def test_a_file_that_changes_while_its_diff_is_shown_is_shown_again(wizard_home) -> None:
    edited = OTHERS.replace(b'"opus"', b'"sonnet"')
    async with wizard_home.run_wizard() as wizard:
        await wizard.go_to_diff()
        wizard_home.file.write_bytes(edited)
        await wizard.press("a")
        await wizard.wait_for("changed while you read", "sonnet", "3 of 4")
        assert wizard_home.file.read_bytes() == edited
        assert list_backups(wizard_home.file) == []
        await wizard.press("a")
        await wizard.wait_for("applied and checked")
        await wizard.press("z")
        await wizard.wait_for("undone")
    assert wizard_home.file.read_bytes() == edited


async def test_undo_keeps_later_changes(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        await wizard.complete()
        wizard_home.file.write_bytes(wizard_home.file.read_bytes().replace(b'"opus"', b'"sonnet"'))
        await wizard.press("z")
        await wizard.wait_for("undone", "was planned again")
    assert wizard_home.file.read_bytes() == OTHERS.replace(b'"opus"', b'"sonnet"')


async def test_a_missing_file_is_created_and_undo_removes_it(wizard_home) -> None:
    wizard_home.file.unlink()
    async with wizard_home.run_wizard() as wizard:
        await wizard.wait_for("no file yet", "the file is created")
        await wizard.complete()
        assert wizard_home.file.exists()
        await wizard.press("z")
        await wizard.wait_for("undone")
    assert not wizard_home.file.exists()


async def test_uninstall_from_the_wizard(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        assert "uninstall" not in wizard.footer
        await wizard.complete()
        await wizard.press("left")
        await wizard.wait_for("1 of 4", "installed")
        await wizard.wait_until(lambda: "u uninstall" in wizard.footer)
        assert "nothing" not in wizard.text
        await wizard.press("u")
        await wizard.wait_for("Uninstall", "what will change", "Your statusLine is put back")
        await wizard.press("a")
        await wizard.wait_for("hooks removed", "copied hook files are removed")
        assert wizard_home.file.read_bytes() == OTHERS
        assert not wizard_home.hooks.exists()
        await wizard.press("z")
        await wizard.wait_for("undone")
        assert list_commands(wizard_home.file).count("atm_hooks/hook.py") == 24
        assert wizard_home.hooks.exists()
        await wizard.press("escape")
        assert [done.plan.path for done in wizard.app.return_value] == [wizard_home.file]


async def test_a_backup_is_restored_from_the_wizard(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        await wizard.complete()
        wizard_home.file.write_bytes(b"{ broken")
        await wizard.press("left")
        await wizard.wait_for("can't be changed", "line 1, column 3")
        await wizard.press("b")
        await wizard.wait_for("Restore", "which copy", "1 copy", "without our hooks")
        await wizard.press("enter")
        await wizard.wait_for("what will change", "{ broken")
        await wizard.press("a")
        await wizard.wait_for("put back")
    assert wizard_home.file.read_bytes() == OTHERS


@pytest.mark.parametrize(
    ("text", "place", "seen"),
    sample(REFUSED, *REFUSED[::2]),
)
async def test_a_refused_file_shows_the_place_and_what_to_do(wizard_home, text, place, seen) -> None:
    wizard_home.file.write_bytes(text)
    async with wizard_home.run_wizard() as wizard:
        effect = "ignores" if b"\xff" not in text else "reads the file, with another character in that place"
        await wizard.wait_for("can't be changed", place, seen, "Correct that place", effect)
        assert "^" in wizard.text
        await wizard.press("enter")
        await wizard.wait_for("1 of 4", "fix that file")
        await wizard.press("space")
        await wizard.wait_for("can't be changed as it is")
        wizard_home.file.write_bytes(OTHERS)
        await wizard.press("r")
        await wizard.wait_for("not installed")
        await wizard.go_to_diff()


async def test_a_file_that_becomes_invalid_before_the_diff_is_refused(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        await wizard.press("enter")
        wizard_home.file.write_bytes(b"{,}")
        await wizard.press("enter")
        await wizard.wait_for("3 of 4", "line 1, column 2", "Nothing was changed")
        await wizard.press("enter")
        assert wizard_home.file.read_bytes() == b"{,}"
        wizard_home.file.write_bytes(OTHERS)
        await wizard.press("r")
        await wizard.wait_for("lines added")


async def test_a_failed_write_is_reported_and_leaves_the_file(wizard_home) -> None:
    wizard_home.file.chmod(0o444)
    async with wizard_home.run_wizard() as wizard:
        await wizard.go_to_diff()
        await wizard.press("a")
        await wizard.wait_for("stopped", "write-protected", "chmod u+w")
        assert "undo" not in wizard.footer
    assert wizard_home.file.read_bytes() == OTHERS
    assert not wizard_home.hooks.exists()


async def test_when_the_second_of_two_files_fails_the_first_is_written_and_can_be_undone(wizard_home) -> None:
    wizard_home.local.write_bytes(b"{}")
    wizard_home.local.chmod(0o444)
    async with wizard_home.run_wizard() as wizard:
        await wizard.press("j", "j", "space")
        await wizard.go_to_diff()
        assert "2 files" in wizard.text
        await wizard.press("a")
        await wizard.wait_for("stopped", "written and verified", "write-protected")
        assert b"atm_hooks" in wizard_home.file.read_bytes()
        await wizard.press("z")
        await wizard.wait_for("undone")
    assert wizard_home.file.read_bytes() == OTHERS


async def test_while_writing_the_screen_responds_but_cannot_be_closed(wizard_home) -> None:
    receipts = wizard_home.home / "data" / "settings"
    receipts.mkdir(parents=True)
    other = os.open(receipts / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(other, fcntl.LOCK_EX)
    try:
        async with wizard_home.run_wizard() as wizard:
            await wizard.go_to_diff()
            await wizard.press("a")
            await wizard.wait_until(lambda: "writing" in wizard.footer)
            await wizard.press("escape", "left", "enter", "a", "z")
            assert wizard.app.return_value is None
            assert wizard_home.file.read_bytes() == OTHERS
            os.close(other)
            other = -1
            await wizard.wait_for("applied and checked")
    finally:
        if other >= 0:
            os.close(other)


async def test_the_wizard_ends_with_the_written_files_and_a_second_run_needs_no_change(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        await wizard.complete()
        await wizard.press("enter")
        (done,) = wizard.app.return_value
        assert done.plan.path == wizard_home.file
        assert done.backup.read_bytes() == OTHERS
    written = wizard_home.file.read_bytes()
    async with wizard_home.run_wizard() as wizard:
        await wizard.wait_for("installed and current, 24 events")
        await wizard.press("enter", "enter")
        await wizard.wait_for("Nothing to change", "check")
        await wizard.press("enter")
        await wizard.wait_for("4 of 4", "· checked", "Nothing was written")
    assert wizard_home.file.read_bytes() == written


async def test_the_wizard_opens_over_the_monitor_and_returns_to_it(wizard_home, drive) -> None:
    async with drive() as driver:
        done = []
        driver.app.push_screen(WizardScreen(wizard_home.make_setup(), driver.app.glyphs, driver.app.keys), done.append)
        await driver.wait_until(lambda: "1 of 4" in driver.text and "3 hooks" in driver.text)
        await driver.press("escape")
        await driver.wait_until(lambda: done == [()])
        assert "No sessions yet" in driver.text
