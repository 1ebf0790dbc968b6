"""Keys of the configuration in the running app: remapped, removed, chords, presets; labels and answers follow."""

from pathlib import Path

import pytest

from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.keys.presets import PRESETS
from atm_tui.keys.table import CommandKeys
from atm_tui.screens.controllers import key_input
from atm_tui.screens.request import RequestScreen
from atm_tui.screens.row_menu import RowMenu
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.widgets.line_list import RIGHT
from tests.support import open_requests
from tests.support.app_answers import AskingSession
from tests.support.fleets import make_busy_fleet
from tests.support.memory_monitor import InventedUsage
from tests.support.mouse import click
from tests.support.waiting import comes_true

OWN = {"board": ["B", "g b"], "cursor_first": "g g", "sort": [], "quit": "Q", "mark": "F4", "nth": ["f5", "f6"]}


async def test_own_keys_work_and_are_shown(drive) -> None:
    async with drive(make_busy_fleet(), size=(160, 60), config=Config(keys=OWN)) as app:
        main = app.main
        assert "B board" in app.lines[-1]
        assert "Q quit" in app.lines[-1]
        await app.press("b", "q")
        assert main.view.VIEW == "tree"
        await app.press("B")
        assert main.view.VIEW == "board"
        await app.press("t", "G")
        last = main.tree_view.session_tree.selected
        await app.press("s")  # has no key now
        assert "sorted" not in app.text
        await app.press("g")
        assert app.lines[-1].split() == ["g", "…", "g", "first", "b", "board"]
        await app.press("g")
        assert main.tree_view.session_tree.selected != last
        assert "B board" in app.lines[-1]
        await app.press("g", "b")
        assert main.view.VIEW == "board"
        await app.press("t", "g", "escape", "g", "x")
        assert "g x is not a command" in app.lines[-1]
        assert main.view.VIEW == "tree"
        await app.press("2")  # means nothing now
        assert main.tree_view.session_tree.cursor_at != 1
        await app.press("f6")
        assert main.tree_view.key == main.tree_view.list_numbered()[1]
        await app.press("u")
        await app.wait_until(lambda: type(app.app.screen).__name__ == "UsageScreen")
        await app.press("g")
        assert app.lines[-1].split() == ["g", "…", "b", "board"]
        await app.press("b")
        assert main.view.VIEW == "board"
        await app.press("t", "question_mark")
        written = "\n".join(line.plain for line in app.app.screen._write_lines(70))
        assert "B  g b" in written
        assert "F4" in written
        assert "F5  F6" in written
        await app.press("escape", "ctrl+p", *"sort")
        await app.wait_until(
            lambda: any("Change order" in str(each.prompt) for each in app.app.screen.query_one("CommandList").options)
        )
        await app.press("enter")  # a command without a key can be found by its name
        await app.wait_until(lambda: "sorted by attention" in app.text)


async def test_the_first_key_of_a_chord_is_forgotten_after_a_while(drive) -> None:
    async with drive(make_busy_fleet(), config=Config(keys=OWN)) as app:
        await app.press("g")
        assert "g …" in app.lines[-1]
        await app.wait_until(lambda: "g …" not in app.text)
        await app.press("b")
        assert app.main.view.VIEW == "tree"


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_preset_gives_all_its_keys(drive, preset: str) -> None:
    keys = CommandKeys({"preset": preset})
    async with drive(make_busy_fleet(), config=Config(keys={"preset": preset})) as app:
        last = app.main.tree_view.session_tree
        await app.press("end", *keys.find("cursor_first").keys[0].split())
        assert last.cursor_at == 0
        await app.press(*keys.find("usage").keys[0].split())
        assert await comes_true(lambda: type(app.app.screen).__name__ == "UsageScreen")
        assert "keys" not in "".join(each.message for each in app.app._notifications)


async def test_keys_that_clash_leave_the_defaults_and_are_named(drive) -> None:
    async with drive(make_busy_fleet(), config=Config(keys={"board": "s", "bord": "B"})) as app:
        said = "".join(each.message for each in app.app._notifications)
        assert 'keys.bord: unknown command; did you mean "board"?' in said
        await app.press("b")
        assert app.main.view.VIEW == "board"


async def test_other_keys_can_be_used_while_it_runs(drive, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("")
    async with drive(make_busy_fleet(), size=(160, 40), followed=FollowedConfig(file)) as app:
        running: AtmApp = app.app
        file.write_text('[keys]\nboard = "B"\n')
        await running.configuring.read_again()
        await app.wait_until(lambda: "B board" in app.lines[-1])
        await app.press("b")
        assert app.main.view.VIEW == "tree"
        await app.press("B")
        assert app.main.view.VIEW == "board"
        file.write_text("")
        await running.configuring.read_again()
        await app.press("t", "b")
        assert app.main.view.VIEW == "board"


async def test_ctrl_c_quits_only_when_it_is_pressed_twice_in_a_moment(drive) -> None:
    async with drive(make_busy_fleet()) as app:
        now = [100.0]
        app.app._key_input._clock = lambda: now[0]
        await app.press("ctrl+c")
        assert "press Ctrl+C again within 2 seconds to quit" in app.lines[-1]
        now[0] += 2.5
        await app.press("ctrl+c")
        assert not app.app._exit
        await app.press("question_mark")
        now[0] += 1.5
        await app.press("ctrl+c")
        assert app.app._exit


async def test_answers_keep_their_rules_with_other_keys(asking_session: AskingSession) -> None:
    config = Config(keys={"allow": "Y", "deny": "N", "previous_waiting": [], "sure": "f8"})
    async with asking_session.run_app(config=config) as app:
        with asking_session.open_request(given={"command": "rm -rf src"}) as hook:
            await app.wait_for_text("Y allow   N deny")
            asking_session.settle()
            await app.press("a", "d")  # mean nothing now
            assert app.app.screen is app.app.fleet_screen
            await app.press("Y")
            await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
            await app.press("Y", "Y")  # held
            assert "F8 says yes anyway" not in app.text
            asking_session.settle()
            await app.press("Y")
            await app.wait_for_text("F8 says yes anyway")
            await app.press("Y", "y", "f8")  # at once: it has not been in view for long enough
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("f8")
            await app.wait_for_text("allowed here")
            assert hook.decision() == {"behavior": "allow"}


async def test_the_keys_of_dialogs_are_the_user_s(drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Peek, settings and lists of values; what they say of their keys follows, and the help has them."""
    monkeypatch.setattr(key_input, "CHORD_SECONDS", 60.0)  # the second key of a chord may come late on a busy machine
    file = tmp_path / "config.toml"
    lines = ("peek_close = 'x'", "cursor_last = 'g e'", "cursor_first = 'g g'", "help = 'f1'", "settings_change = 'c'",
             "settings_reset = 'f8'", "settings_leave = ['Q', 'f10']", "choices_take = 't'", "choices_leave = 'Z Z'")  # fmt: skip
    file.write_text("\n".join(["[keys]", *lines, ""]))
    async with drive(make_busy_fleet(), size=(100, 16), followed=FollowedConfig(file)) as app:
        await app.press("g", "g", "j", "space")
        await app.wait_until(lambda: "Enter jump  x close" in app.text or "↵ jump  x close" in app.text)
        box = app.app.screen.query_one("#peek")
        await app.wait_until(lambda: box.max_scroll_y > 0)
        await app.press("escape", "q", "G", "g", "e")
        await app.wait_until(lambda: box.scroll_y == box.max_scroll_y)
        await app.press("g", "g")
        await app.wait_until(lambda: box.scroll_y == 0)
        await app.press("question_mark", "f1")
        await app.wait_until(lambda: "Close the peek" in app.text)
        assert "x " in app.line_with("Close the peek")
        assert any(" c  " in line and "Change the value" in line for line in write_help(app))
        await app.press("f1", "x")
        await app.wait_until(lambda: app.app.screen is app.main)

        await app.press("comma")
        await app.wait_until(lambda: "c change   F8 default   e edit the file   Q close" in app.text)
        await app.press("end", "g", "g", "enter", "escape", "d")  # mean nothing now, but for the chord
        app.app.screen._lines.move_to("theme")
        await app.press("c")
        await app.wait_until(lambda: "t takes, Z Z goes back" in app.text)
        await app.press("enter", "Z", "Z")
        app.app.screen._lines.move_to("budget_day")
        await app.press("c", "7", "escape")  # while text is typed, Escape always leaves it
        await app.wait_until(lambda: "F8 default" in app.text)
        await app.press("Q")
        assert app.app.screen is app.main
        assert file.read_text().startswith("[keys]")


def write_help(app) -> list[str]:
    return [line.plain for line in app.app.screen._write_lines(70)]


ANYWHERE = {"cursor_down": "f9", "cursor_up": "f10", "help": "f1", "notices": "f7", "theme": "f6"} | {
    "text_close": "X",
    "choices_take": "Y",
    "choices_leave": "X",
}


async def test_own_keys_move_and_close_in_every_list_and_text(drive) -> None:
    async with drive(make_busy_fleet(), size=(80, 20), config=Config(keys=ANYWHERE)) as app:
        for key in ("f1", "f7"):
            await app.press(key)
            assert "X closes" in app.lines[-1] + app.lines[-2] + app.text
            box = app.app.screen._box
            await app.press("j", "escape", "q", "enter")  # mean nothing now
            assert box.scroll_y == 0
            await app.press("f9", "f9", "f10")
            assert box.scroll_y == (key == "f1")
            await app.press("X")
            assert app.app.screen is app.main
            await app.press(key, key)
            assert app.app.screen is app.main
        before = app.app.theme
        await app.press("f6", "j", "f9")
        assert "Y takes, X goes back" in app.text
        assert app.app.theme == "atm-light"
        await app.press("X")
        assert app.app.theme == before
        await app.press("f6", "f9", "f9", "f10", "f6")
        assert app.app.theme == before
        await app.press("f6", "f9", "Y")
        assert app.app.theme == "atm-light"
        assert app.app.screen is app.main


MENU = {
    "pin": "x p",
    "put_away": "p",
    "pause": "f2",
    "mark": "j",
    "jump": "J",
    "cursor_down": "ctrl+n",
    "choices_take": "v",
} | {
    "choices_down": [],
    "choices_leave": "z z",
    "snooze": "z",
    "transcript": "ctrl+f5",
}


async def test_own_keys_work_in_the_menu_of_a_row(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40), config=Config(keys=MENU)) as app:
        name = next(row.name[0] for row in app.tree.rows if row.id[0] == "session")
        y = next(y for y, line in enumerate(app.lines) if f" {name} " in line)

        async def open_menu() -> None:
            await click(app.pilot, 20, y, RIGHT)
            await app.wait_until(lambda: isinstance(app.app.screen, RowMenu) and f"╭─ {name}" in app.text)

        await open_menu()
        assert "x p" in app.line_with(" pin")
        assert "^F5" in app.line_with(" transcript")
        await app.press("x")
        await app.wait_until(lambda: "p pin" in app.text)
        await app.press("p")  # the second key of the chord, not "dismiss"
        await app.wait_until(lambda: app.app.screen is app.main)
        assert [key for key, flags in app.main._fleet.flags.items() if flags.pinned]

        await open_menu()
        await app.press("enter", "z", "z")  # enter is no key of it; snooze has the first key of the chord that leaves
        await app.wait_until(lambda: app.app.screen is app.main)
        assert not app.main._fleet.snoozed

        await open_menu()
        await app.press("j")
        await app.wait_until(lambda: "1 marked" in app.lines[-1])
        await app.press("escape")
        await open_menu()
        start = app.app.screen._at
        await app.press("ctrl+n")
        assert app.app.screen._at > start
        while app.app.screen._commands[app.app.screen._at].id != "mark":
            await app.press("ctrl+n")
        await app.press("v")
        await app.wait_until(lambda: "1 marked" in app.lines[-1])


USAGE = {"next_span": "f9", "previous_span": "f8", "look_inside": "x", "look_outside": "f7", "read_again": []} | {
    "cursor_down": "f6",
    "usage": "B",
}


async def test_own_keys_work_on_the_usage_screen(drive) -> None:
    for keys, closes in ((USAGE, "B close"), (USAGE | {"usage": []}, "F7 close")):
        async with drive(make_busy_fleet(), size=(120, 40), config=Config(keys=keys)) as app:
            app.monitor.usage = InventedUsage()
            await app.main.app.run_action("usage")
            await app.wait_until(lambda: "by project" in app.text)
            assert app.lines[-1].rstrip().endswith(f"   {closes}")
            assert "F8 previous span   F9 next span   x look inside" in app.lines[-1]
            assert "read again" not in app.lines[-1]
            await app.press("right", "l", "enter", "r")  # mean nothing now
            assert "▌today" in app.lines[1]
            await app.press("f9")
            assert "▌yesterday" in app.lines[1]
            await app.press("f8", "f6", "x")
            await app.wait_until(lambda: "F7 back" in app.lines[-1])
            await app.press("f7")
            await app.wait_until(lambda: "F7 back" not in app.lines[-1])
            await app.press("f7" if closes == "F7 close" else "B")
            await app.wait_until(lambda: app.app.screen is app.main)


async def test_own_keys_scroll_a_request(drive) -> None:
    async with drive(size=(60, 12), config=Config(keys={"cursor_down": "f9", "cursor_up": "f10"})) as app:
        open_requests.fill_requests(app.monitor)
        await app.wait_until(lambda: "login-bug" in app.text)
        await app.press("N", "a")
        await app.wait_until(lambda: isinstance(app.app.screen, RequestScreen))
        body = app.app.screen._body
        await app.wait_until(lambda: body.max_scroll_y > 1)
        start = body.scroll_y
        await app.press("j")
        assert body.scroll_y == start
        await app.press("f9")
        assert body.scroll_y == start + 1
        await app.press("f10")
        assert body.scroll_y == start
