"""The help is generated from the commands: those for the focused widget first, and the reasons of disabled ones."""

from textual.widgets import Static

from atm_tui import commands
from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.screens.help import HelpScreen
from atm_tui.view.filter_terms import TERMS
from atm_tui.widgets.text_box import TextBox
from tests.support.effort import sample
from tests.support.fleets import make_busy_fleet
from tests.support.timelines import DATA


def find_titles(app) -> list[str]:
    """The titles of the sections, in order."""
    box = app.screen.query_one(TextBox)
    return [
        line.strip() for line in str(box.query_one(Static).content).split("\n") if line and not line.startswith(" ")
    ]


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
            await app.wait_until(lambda: isinstance(app.app.screen, HelpScreen))
            titles_now = find_titles(app.app)
            place = 1 if key in "tbLH" else 0
            assert titles_now[place] == title
            assert titles_now[1 - place] == "What you do most"
            await app.press("escape")
            assert not isinstance(app.app.screen, HelpScreen), title
            if key == "tab":
                await app.press("escape")


async def test_in_a_replay_its_own_keys_come_first() -> None:
    app = AtmApp(Replay(read_entries(DATA / "recordings" / "01-permission-allowed.jsonl")), Config())
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert find_titles(app)[0] == "In a replay"


async def test_disabled_commands_are_faint_with_a_reason(drive) -> None:
    async with drive([], size=(80, 200)) as app:
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


async def test_what_is_done_most_comes_first_and_the_width_is_used(drive) -> None:
    async with drive(make_busy_fleet(), size=(200, 60)) as app:
        await app.press("question_mark")
        top = next(n for n, line in enumerate(app.lines) if "What you do most" in line)
        first = [line.split("│")[1].split()[0] for line in app.lines[top + 1 : top + 14]]
        assert [each for each in first if len(each) == 1][:6] == ["a", "d", "w", "A", "↵", "␣"]
        assert top <= 3
        assert sum(each.cell_length for each in app.app.screen._compositor.render_strips()[:1]) == 200
        beside = app.lines[top].split()
        assert len(beside) > len(["What", "you", "do", "most"]), "nothing stands beside the first column"
        assert all(term in app.text for term, _ in TERMS)
        await app.resize((100, 60))
        assert len(app.lines[top].split("  ")[1:-1]) > 1, "two columns have room"
        await app.resize((60, 20))
        assert app.line_with("What you do most")
        assert "Allow" in app.text
