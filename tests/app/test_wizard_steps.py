"""What the steps of the wizard show and take: back, options, routes, sizes, clicks, and hostile text."""

import json

import pytest

from atm_tui.view.line_filters import AsciiFilter
from tests.support.effort import sample
from tests.support.mouse import click
from tests.support.wizard import OTHERS

SIZES = [(60, 24), (80, 24), (120, 40)]


async def test_back_goes_to_the_previous_step(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        await wizard.go_to_diff()
        await wizard.press("left")
        await wizard.wait_for("2 of 4")
        await wizard.press("left")
        await wizard.wait_for("1 of 4")
        await wizard.press("left")
        await wizard.wait_for("1 of 4")


async def test_options_change_the_diff(wizard_home) -> None:
    async with wizard_home.run_wizard((100, 30)) as wizard:
        await wizard.press("enter")
        await wizard.press("space")
        await wizard.wait_for("lean", "which tool runs now")
        await wizard.press("j", "space")
        await wizard.wait_for("off", "costs and context from transcripts")
        await wizard.press("j", "space")
        await wizard.press("enter")
        await wizard.wait_for("3 of 4", "Without the per-tool events", "d whole lines")
        await wizard.press("d")
        await wizard.wait_for("d short lines")
        await wizard.press("e")
        await wizard.wait_for("2 of 4")
        assert any(line.startswith("▌SessionStart") for line in wizard.lines)
        await wizard.press("space")
        await wizard.wait_for("your choice")
        await wizard.press("enter")
        await wizard.wait_for("3 of 4")
        await wizard.press("a")
        await wizard.wait_for("applied and checked")
    content = json.loads(wizard_home.file.read_bytes())
    assert "PostToolUse" not in content["hooks"]
    assert content["hooks"]["SessionStart"][0]["hooks"][0]["async"] is True
    assert content["statusLine"]["command"] == "echo mine"
    assert content["env"] == {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}


async def test_the_plugin_route_says_how_to_enable_it(wizard_home) -> None:
    async with wizard_home.run_wizard((100, 30)) as wizard:
        await wizard.press("enter", "j", "j", "j", "j", "space")
        await wizard.wait_for("a plugin that you enable yourself")
        await wizard.press("enter")
        await wizard.wait_for("3 of 4")
        await wizard.press("a")
        await wizard.wait_for("/plugin install atm-tui@atm-tui", "/plugin marketplace add")
    assert b"atm_hooks/hook.py" not in wizard_home.file.read_bytes()


async def test_the_current_install_is_described(wizard_home) -> None:
    wizard_home.file.write_bytes(OTHERS.replace(b'"model": "opus"', b'"model": 3, "disableAllHooks": true'))
    async with wizard_home.run_wizard((100, 40)) as wizard:
        await wizard.wait_for("3 hooks of other tools", "/opt/tools/[bold red]lint[/]", "~/bin/guard.sh --strict")
        await wizard.wait_for("echo mine", "keeps running", "disableAllHooks is true", "model is number, not string")


async def test_hostile_settings_are_shown_safely(wizard_home) -> None:
    command = "[/]\x1b]52;c;AAAA\x07 [@click=app.quit]x[/] \u202egnp.exe \x9b31m " + "日本" * 40
    content = {
        "model": command,
        "hooks": {command: [{"hooks": [{"type": "command", "command": command}]}], "Stop": []},
        "statusLine": {"type": "command", "command": command},
    }
    for ensure_ascii in sample((True, False), False):
        wizard_home.file.write_text(json.dumps(content, indent=2, ensure_ascii=ensure_ascii))
        before = wizard_home.file.read_bytes()
        async with wizard_home.run_wizard() as wizard:
            await wizard.wait_for("[@click=app.quit]")
            await wizard.go_to_diff()
            await wizard.press("d", "G", "g")
            assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(wizard.text)
            await wizard.press("a")
            await wizard.wait_for("applied and checked")
            assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(wizard.text)
            await wizard.press("z")
            await wizard.wait_for("undone")
        assert wizard_home.file.read_bytes() == before


async def test_rows_and_footer_can_be_clicked(wizard_home) -> None:
    async with wizard_home.run_wizard() as wizard:
        await wizard.pilot.click("#files-main", offset=(5, 0))
        await wizard.wait_for("[ ] ~/.claude/settings.json")
        await wizard.press("enter")
        await wizard.wait_for("pick a file first")
        await wizard.pilot.click("#files-main", offset=(5, 0))
        await wizard.wait_for("[x] ~/.claude/settings.json", "↵ next")
        await wizard.pilot.click("#wizard-foot", offset=(3, 0))
        await wizard.wait_for("2 of 4")


async def test_the_doctor_runs_all_checks_and_can_run_again(wizard_home) -> None:
    wizard_home.checks = wizard_home.run_real_checks
    async with wizard_home.run_wizard((100, 40)) as wizard:
        await wizard.press("c")
        await wizard.wait_for("Doctor", "our hooks are not installed", "inotify")
        await wizard.wait_until(lambda: "checking" not in wizard.text)
        wizard_home.project.write_bytes(b"{,}")
        await wizard.press("r")
        await wizard.wait_for("~/src/shop/.claude/settings.json", "broken")
        await wizard.press("left")
        await wizard.wait_for("1 of 4")


async def test_in_a_wide_terminal_both_ends_of_a_line_stay_near_each_other(wizard_home) -> None:
    async with wizard_home.run_wizard((200, 40)) as wizard:
        await wizard.wait_for("[x] ~/.claude/settings.json", "not installed")
        assert len(wizard.line_with("not installed").rstrip()) < 120
        await wizard.press("c")
        await wizard.wait_for("19 ms")
        assert len(wizard.line_with("19 ms").rstrip()) < 120


@pytest.mark.parametrize("size", sample(SIZES, SIZES[0]))
async def test_each_step_fits(wizard_home, size) -> None:
    """No text is cut without a sign of it, the way on and the way out can always be seen."""
    async with wizard_home.run_wizard(size) as wizard:
        steps = (("1 of 4", "enter", "↵ next"), ("2 of 4", "enter", "↵ next"), ("3 of 4", "a", "a apply"))
        for step, key, named in steps:
            await wizard.wait_for(step)
            assert named in wizard.footer
            assert "Esc leave" in wizard.footer
            await wizard.press(key)
        await wizard.wait_for("4 of 4", "applied and checked")
        assert all(key in wizard.footer for key in ("↵ close", "z undo"))
        await wizard.press("c")
        await wizard.wait_for("Doctor")


@pytest.mark.parametrize("size", sample([(50, 24), (120, 40)], (50, 24)))
async def test_repeated_clicks_in_one_place_never_write(wizard_home, size) -> None:
    before = wizard_home.read_all_files()
    async with wizard_home.run_wizard(size) as wizard:
        spot = wizard.footer.index("↵ next"), size[1] - 1
        await click(wizard.pilot, *spot)
        await wizard.wait_for("2 of 4")
        await click(wizard.pilot, *spot)
        await wizard.wait_for("3 of 4", "a apply")
        assert wizard.footer.index("← back") == spot[0]
        await click(wizard.pilot, *spot)
        await wizard.wait_for("2 of 4")
        assert wizard_home.read_all_files() == before
        await click(wizard.pilot, *spot)
        await wizard.wait_for("3 of 4", "a apply")
        await click(wizard.pilot, wizard.footer.index("a apply"), spot[1])
        await wizard.wait_for("4 of 4")
        assert wizard_home.read_all_files() != before


async def test_ascii_mode_writes_only_ascii(wizard_home) -> None:
    async with wizard_home.run_wizard(ascii_only=True) as wizard:
        for key in ("enter", "enter", "a"):
            # the last cell of a line is the scrollbar's
            strips = [strip.crop(0, 79) for strip in wizard.app.screen._compositor.render_strips()]
            background = wizard.app.screen.styles.background
            sent = [part.text for strip in strips for part in AsciiFilter().apply(list(strip), background)]
            assert "".join(sent).isascii(), "".join(sent)
            await wizard.press(key)
            await wizard.pilot.pause(0.1)
