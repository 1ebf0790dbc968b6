"""The help is generated from the commands: those for the focused widget first, and the reasons of disabled ones."""

from atm_tui import commands
from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.screens.help import HelpScreen
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet
from tests.support.timelines import DATA


def find_first_title(lines: list[str]) -> str:
    return lines[next(n for n, line in enumerate(lines) if "─ Help ─" in line) + 2].split("│")[1].strip()


async def test_the_keys_of_the_current_view_come_first(drive) -> None:
    titles = {"t": "In the tree", "tab": "In a pane", "b": "On the board", "L": "In the timeline", "H": "In the history",
              "u": "On the usage screen", "space": "In the peek"}  # fmt: skip
    async with drive(make_busy_fleet(), size=(80, 30)) as app:
        for key in sample(titles, "t", "tab", "space"):
            title = titles[key]
            await app.press("t")
            assert app.app.screen is app.main, title
            assert app.app.focused is app.tree, title
            await app.press(key)
            await app.press("question_mark")
            await app.until(lambda: isinstance(app.app.screen, HelpScreen))
            assert find_first_title(app.lines) == title
            await app.press("escape")
            assert not isinstance(app.app.screen, HelpScreen), title
            if key == "tab":
                await app.press("escape")


async def test_in_a_replay_its_own_keys_come_first() -> None:
    app = AtmApp(Replay(read_entries(DATA / "recordings" / "01-permission-allowed.jsonl")), Config())
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        assert find_first_title(lines) == "In a replay"


async def test_disabled_commands_are_faint_with_a_reason(drive) -> None:
    async with drive([], size=(80, 120)) as app:
        await app.press("question_mark")
        text = app.text
        for each in commands.COMMANDS:
            assert each.help.split(";")[0][:40] in text
        for reason in ("there is no session to select yet", "no session needs you", "there are no sessions yet"):
            assert reason in text
        strips = app.app.screen._compositor.render_strips()
        faint = app.app.get_css_variables()["foreground-disabled"]
        at = next(n for n, line in enumerate(app.lines) if "no session needs you" in line)
        said = next(each for each in strips[at] if "no session needs you" in each.text)
        assert said.style is not None
        assert said.style.color is not None
        assert said.style.color.name.lower() == faint.lower()


async def test_the_help_shows_all_groups() -> None:
    assert sorted(commands.FIRST) == sorted(commands.GROUPS)
