"""The wizard on real files: it does what it showed, only that, and gives back each byte."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from atm_tui.screens.wizard import WizardScreen
from atm_tui.settings.backups import list_backups
from atm_tui.view.line_filters import AsciiFilter
from tests.support.mouse import click
from tests.support.wizard import OTHERS, World

SIZES = [(60, 24), (80, 24), (120, 40)]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HOME", str(tmp_path))
    made = World(tmp_path)
    made.file.write_bytes(OTHERS)
    return made


def commands(path: Path) -> str:
    return json.dumps(json.loads(path.read_bytes())["hooks"])


async def test_install_and_undo_through_all_steps(world) -> None:
    world.checks = world.real_checks
    async with world.wizard() as wizard:
        await wizard.to_the_diff()
        assert world.file.read_bytes() == OTHERS
        await wizard.press("a")
        await wizard.sees("applied and checked", "written and verified", "installed and current, 24 events", " ms")
        assert "settings.json.2026-11-27T12-00-0" in wizard.text
        written = commands(world.file)
        assert written.count("atm_hooks/hook.py") == 24
        assert "/opt/other/bell.sh" in written
        await wizard.press("z")
        await wizard.sees("undone", "as before", "hook files are removed")
        assert world.file.read_bytes() == OTHERS
        assert not world.hooks.exists()
        await wizard.press("enter")
        assert wizard.app.return_value == ()


async def test_it_ends_with_what_was_written(world) -> None:
    async with world.wizard() as wizard:
        await wizard.through()
        await wizard.press("enter")
        (done,) = wizard.app.return_value
        assert done.plan.path == world.file
        assert done.backup.read_bytes() == OTHERS


@pytest.mark.parametrize(
    ("keys", "leave"),
    [
        ([], "escape"),
        (["j", "space"], "q"),
        (["enter"], "escape"),
        (["enter", "space"], "q"),
        (["enter", "enter"], "escape"),
        (["enter", "enter", "d"], "q"),
        (["c"], "escape"),
    ],
)
async def test_leaving_at_any_step_changes_nothing(world, keys, leave) -> None:
    before = world.everything()
    async with world.wizard() as wizard:
        for key in keys:
            await wizard.press(key)
            await wizard.pilot.pause(0.05)
        await wizard.press(leave)
        await wizard.until(lambda: wizard.app.return_value is not None)
        assert wizard.app.return_value == ()
    assert world.everything() == before


async def test_a_held_enter_stops_at_the_diff_and_writes_nothing(world) -> None:
    before = world.everything()
    async with world.wizard() as wizard:
        await wizard.press(*["enter"] * 3)
        await wizard.sees("3 of 4", "summary")
        await wizard.press(*["enter"] * 20)
        await wizard.sees("3 of 4", "Enter writes nothing here")
        await wizard.press("escape")
        assert wizard.app.return_value == ()
    assert world.everything() == before


async def test_back_goes_to_the_step_before(world) -> None:
    async with world.wizard() as wizard:
        await wizard.to_the_diff()
        await wizard.press("left")
        await wizard.sees("2 of 4")
        await wizard.press("left")
        await wizard.sees("1 of 4")
        await wizard.press("left")
        await wizard.sees("1 of 4")


async def test_a_file_that_changes_under_the_diff_is_shown_anew(world) -> None:
    edited = OTHERS.replace(b'"opus"', b'"sonnet"')
    async with world.wizard() as wizard:
        await wizard.to_the_diff()
        world.file.write_bytes(edited)
        await wizard.press("a")
        await wizard.sees("changed while you read", "sonnet", "3 of 4")
        assert world.file.read_bytes() == edited
        assert list_backups(world.file) == []
        await wizard.press("a")
        await wizard.sees("applied and checked")
        await wizard.press("z")
        await wizard.sees("undone")
    assert world.file.read_bytes() == edited


async def test_undo_keeps_what_was_changed_since(world) -> None:
    async with world.wizard() as wizard:
        await wizard.through()
        world.file.write_bytes(world.file.read_bytes().replace(b'"opus"', b'"sonnet"'))
        await wizard.press("z")
        await wizard.sees("undone", "was planned again")
    assert world.file.read_bytes() == OTHERS.replace(b'"opus"', b'"sonnet"')


async def test_without_a_file_one_is_made_and_undo_removes_it(world) -> None:
    world.file.unlink()
    async with world.wizard() as wizard:
        await wizard.sees("no file yet", "the file is created")
        await wizard.through()
        assert world.file.exists()
        await wizard.press("z")
        await wizard.sees("undone")
    assert not world.file.exists()


async def test_uninstall_from_the_wizard(world) -> None:
    async with world.wizard() as wizard:
        assert "uninstall" not in wizard.foot
        await wizard.through()
        await wizard.press("left")
        await wizard.sees("1 of 4", "installed")
        await wizard.until(lambda: "u uninstall" in wizard.foot)
        assert "nothing" not in wizard.text
        await wizard.press("u")
        await wizard.sees("Uninstall", "what will change", "Your statusLine is put back")
        await wizard.press("a")
        await wizard.sees("hooks removed", "copied hook files are removed")
        assert world.file.read_bytes() == OTHERS
        assert not world.hooks.exists()
        await wizard.press("z")
        await wizard.sees("undone")
        assert commands(world.file).count("atm_hooks/hook.py") == 24
        assert world.hooks.exists()
        await wizard.press("escape")
        assert [done.plan.path for done in wizard.app.return_value] == [world.file]


async def test_a_copy_is_put_back_from_the_wizard(world) -> None:
    async with world.wizard() as wizard:
        await wizard.through()
        world.file.write_bytes(b"{ broken")
        await wizard.press("left")
        await wizard.sees("can't be changed", "line 1, column 3")
        await wizard.press("b")
        await wizard.sees("Restore", "which copy", "1 copy", "without our hooks")
        await wizard.press("enter")
        await wizard.sees("what will change", "{ broken")
        await wizard.press("a")
        await wizard.sees("put back")
    assert world.file.read_bytes() == OTHERS


@pytest.mark.parametrize(
    ("text", "place", "seen"),
    [
        (b'{\n  "a": 1,\n  // why\n}\n', "line 3, column 3", "  // why"),
        (b'{"hooks": {"Stop": {}}}', "line 1, column 20", "hooks.Stop"),
        (b'{"a": "\xff"}', "line 1, column 8", "UTF-8"),
        (b'{"k": "' + b"x" * 5000 + b'",}', "line 1, column 5009", "^"),
    ],
)
async def test_a_refused_file_shows_the_place_and_what_to_do(world, text, place, seen) -> None:
    world.file.write_bytes(text)
    async with world.wizard() as wizard:
        effect = "ignores" if b"\xff" not in text else "reads the file, with another character in that place"
        await wizard.sees("can't be changed", place, seen, "Correct that place", effect)
        assert "^" in wizard.text
        await wizard.press("enter")
        await wizard.sees("1 of 4", "fix that file")
        await wizard.press("space")
        await wizard.sees("can't be changed as it is")
        world.file.write_bytes(OTHERS)
        await wizard.press("r")
        await wizard.sees("not installed")
        await wizard.to_the_diff()


async def test_a_file_that_breaks_before_the_diff_is_refused_there(world) -> None:
    async with world.wizard() as wizard:
        await wizard.press("enter")
        world.file.write_bytes(b"{,}")
        await wizard.press("enter")
        await wizard.sees("3 of 4", "line 1, column 2", "Nothing was changed")
        await wizard.press("enter")
        assert world.file.read_bytes() == b"{,}"
        world.file.write_bytes(OTHERS)
        await wizard.press("r")
        await wizard.sees("lines added")


async def test_a_failed_write_is_reported_and_leaves_the_file(world) -> None:
    world.file.chmod(0o444)
    async with world.wizard() as wizard:
        await wizard.to_the_diff()
        await wizard.press("a")
        await wizard.sees("stopped", "write-protected", "chmod u+w")
        assert "undo" not in wizard.foot
    assert world.file.read_bytes() == OTHERS
    assert not world.hooks.exists()


async def test_of_two_files_the_first_is_written_and_can_be_undone_when_the_second_fails(world) -> None:
    world.local.write_bytes(b"{}")
    world.local.chmod(0o444)
    async with world.wizard() as wizard:
        await wizard.press("j", "j", "space")
        await wizard.to_the_diff()
        assert "2 files" in wizard.text
        await wizard.press("a")
        await wizard.sees("stopped", "written and verified", "write-protected")
        assert b"atm_hooks" in world.file.read_bytes()
        await wizard.press("z")
        await wizard.sees("undone")
    assert world.file.read_bytes() == OTHERS


async def test_while_writing_the_screen_responds_and_can_not_be_left(world) -> None:
    receipts = world.home / "data" / "settings"
    receipts.mkdir(parents=True)
    other = os.open(receipts / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(other, fcntl.LOCK_EX)
    try:
        async with world.wizard() as wizard:
            await wizard.to_the_diff()
            await wizard.press("a")
            await wizard.until(lambda: "writing" in wizard.foot)
            await wizard.press("escape", "left", "enter", "a", "z")
            assert wizard.app.return_value is None
            assert world.file.read_bytes() == OTHERS
            os.close(other)
            other = -1
            await wizard.sees("applied and checked")
    finally:
        if other >= 0:
            os.close(other)


async def test_options_change_the_diff(world) -> None:
    async with world.wizard((100, 30)) as wizard:
        await wizard.press("enter")
        await wizard.press("space")
        await wizard.sees("lean", "which tool runs now")
        await wizard.press("j", "space")
        await wizard.sees("off", "costs and context from transcripts")
        await wizard.press("j", "space")
        await wizard.press("enter")
        await wizard.sees("3 of 4", "Without the per-tool events")
        await wizard.press("e")
        await wizard.sees("2 of 4")
        assert any(line.startswith("▌SessionStart") for line in wizard.lines)
        await wizard.press("space")
        await wizard.sees("your choice")
        await wizard.press("enter")
        await wizard.sees("3 of 4")
        await wizard.press("a")
        await wizard.sees("applied and checked")
    content = json.loads(world.file.read_bytes())
    assert "PostToolUse" not in content["hooks"]
    assert content["hooks"]["SessionStart"][0]["hooks"][0]["async"] is True
    assert content["statusLine"]["command"] == "echo mine"
    assert content["env"] == {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}


async def test_the_plugin_route_says_how_to_enable_it(world) -> None:
    async with world.wizard((100, 30)) as wizard:
        await wizard.press("enter", "j", "j", "j", "j", "space")
        await wizard.sees("a plugin that you enable yourself")
        await wizard.press("enter")
        await wizard.sees("3 of 4")
        await wizard.press("a")
        await wizard.sees("/plugin install atm-tui@atm-tui", "/plugin marketplace add")
    assert b"atm_hooks/hook.py" not in world.file.read_bytes()


async def test_what_is_installed_needs_nothing_more(world) -> None:
    async with world.wizard() as wizard:
        await wizard.through()
    written = world.file.read_bytes()
    async with world.wizard() as wizard:
        await wizard.sees("installed and current, 24 events")
        await wizard.press("enter", "enter")
        await wizard.sees("Nothing to change", "check")
        await wizard.press("enter")
        await wizard.sees("4 of 4", "· checked", "Nothing was written")
    assert world.file.read_bytes() == written


async def test_the_current_install_is_described(world) -> None:
    world.file.write_bytes(OTHERS.replace(b'"model": "opus"', b'"model": 3, "disableAllHooks": true'))
    async with world.wizard((100, 40)) as wizard:
        await wizard.sees("3 hooks of other tools", "/opt/tools/[bold red]lint[/]", "~/bin/guard.sh --strict")
        await wizard.sees("echo mine", "keeps running", "disableAllHooks is true", "model is number, not string")


async def test_hostile_settings_are_shown_harmlessly(world) -> None:
    command = "[/]\x1b]52;c;AAAA\x07 [@click=app.quit]x[/] \u202egnp.exe \x9b31m " + "日本" * 40
    content = {
        "model": command,
        "hooks": {command: [{"hooks": [{"type": "command", "command": command}]}], "Stop": []},
        "statusLine": {"type": "command", "command": command},
    }
    for ensure_ascii in (True, False):
        world.file.write_text(json.dumps(content, indent=2, ensure_ascii=ensure_ascii))
        before = world.file.read_bytes()
        async with world.wizard() as wizard:
            await wizard.sees("[@click=app.quit]")
            await wizard.to_the_diff()
            await wizard.press("d", "G", "g")
            assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(wizard.text)
            await wizard.press("a")
            await wizard.sees("applied and checked")
            assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(wizard.text)
            await wizard.press("z")
            await wizard.sees("undone")
        assert world.file.read_bytes() == before


async def test_rows_and_footer_can_be_clicked(world) -> None:
    async with world.wizard() as wizard:
        await wizard.pilot.click("#files-main", offset=(5, 0))
        await wizard.sees("[ ] ~/.claude/settings.json")
        await wizard.press("enter")
        await wizard.sees("pick a file first")
        await wizard.pilot.click("#files-main", offset=(5, 0))
        await wizard.sees("[x] ~/.claude/settings.json", "↵ next")
        await wizard.pilot.click("#wizard-foot", offset=(3, 0))
        await wizard.sees("2 of 4")


async def test_the_doctor_runs_all_checks_and_can_run_again(world) -> None:
    world.checks = world.real_checks
    async with world.wizard((100, 40)) as wizard:
        await wizard.press("c")
        await wizard.sees("Doctor", "our hooks are not installed", "inotify")
        await wizard.until(lambda: "checking" not in wizard.text)
        world.project.write_bytes(b"{,}")
        await wizard.press("r")
        await wizard.sees("~/src/shop/.claude/settings.json", "broken")
        await wizard.press("left")
        await wizard.sees("1 of 4")


@pytest.mark.parametrize("size", SIZES)
async def test_each_step_fits(world, size) -> None:
    """No text is cut without a sign of it, the way on and the way out can always be seen."""
    async with world.wizard(size) as wizard:
        steps = (("1 of 4", "enter", "↵ next"), ("2 of 4", "enter", "↵ next"), ("3 of 4", "a", "a apply"))
        for step, key, named in steps:
            await wizard.sees(step)
            assert named in wizard.foot
            assert "Esc leave" in wizard.foot
            await wizard.press(key)
        await wizard.sees("4 of 4", "applied and checked")
        assert all(key in wizard.foot for key in ("↵ close", "z undo"))
        await wizard.press("c")
        await wizard.sees("Doctor")


@pytest.mark.parametrize("size", [(50, 24), (120, 40)])
async def test_clicks_on_one_spot_go_on_and_back_and_write_nothing(world, size) -> None:
    before = world.everything()
    async with world.wizard(size) as wizard:
        spot = wizard.foot.index("↵ next"), size[1] - 1
        await click(wizard.pilot, *spot)
        await wizard.sees("2 of 4")
        await click(wizard.pilot, *spot)
        await wizard.sees("3 of 4", "a apply")
        assert wizard.foot.index("← back") == spot[0]
        await click(wizard.pilot, *spot)
        await wizard.sees("2 of 4")
        assert world.everything() == before
        await click(wizard.pilot, *spot)
        await wizard.sees("3 of 4", "a apply")
        await click(wizard.pilot, wizard.foot.index("a apply"), spot[1])
        await wizard.sees("4 of 4")
        assert world.everything() != before


async def test_ascii_mode_writes_only_ascii(world) -> None:
    async with world.wizard(ascii_only=True) as wizard:
        for key in ("enter", "enter", "a"):
            # the last cell of a line is the scrollbar's
            strips = [strip.crop(0, 79) for strip in wizard.app.screen._compositor.render_strips()]
            background = wizard.app.screen.styles.background
            sent = [part.text for strip in strips for part in AsciiFilter().apply(list(strip), background)]
            assert "".join(sent).isascii(), "".join(sent)
            await wizard.press(key)
            await wizard.pilot.pause(0.1)


async def test_it_opens_over_the_monitor_and_goes_back_to_it(world, drive) -> None:
    async with drive() as driven:
        done = []
        driven.app.push_screen(WizardScreen(world.setup(), driven.app.glyphs), done.append)
        await driven.until(lambda: "1 of 4" in driven.text and "3 hooks" in driven.text)
        await driven.press("escape")
        await driven.until(lambda: done == [()])
        assert "No sessions yet" in driven.text
