"""The command line: what is typed runs as by its key; completion, history, errors; it never answers."""

import pytest
from textual.events import Key

from atm_tui.screens.command_line import CommandLineScreen
from atm_tui.screens.fleet import FleetScreen
from tests.support.app_answers import AskingSession
from tests.support.fleets import make_busy_fleet


async def test_commands_are_typed_completed_and_recalled(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        main = app.main
        await app.press("colon", *"boa")  # at once: no letter of it is a command
        assert isinstance(app.app.screen, CommandLineScreen)
        assert "board" in app.line_with("Cards: what needs you")
        await app.press("enter")
        await app.wait_until(lambda: main.view.VIEW == "board")
        await app.press("colon", *"tree", "enter")
        await app.wait_until(lambda: main.view.VIEW == "tree")

        await app.press("colon")
        for key in ("b", "x", "backspace", "o", "home", "a", "end", "r"):  # at once
            app.app.post_message(Key(key, key if len(key) == 1 else None))
        await app.wait_until(lambda: app.app.screen._input.value == "abor")
        await app.press("ctrl+u", *"theme cat")
        assert "theme catppuccin-macchiato" in app.text  # whole
        await app.press("backspace", "backspace", "backspace", *"no", "tab", "enter")
        await app.wait_until(lambda: app.app.theme == "nord")
        await app.press("colon", *"sort", "tab", *" cos", "tab", "enter")
        await app.wait_until(lambda: "sorted by cost" in app.text)
        await app.press("colon", *"filter state:working", "enter")
        await app.wait_until(lambda: bool(main.visible_sessions.filter))
        assert app.app.focused is main.view.list_widget
        await app.press("escape", "colon", "up", "up")
        assert app.app.screen._input.value == "sort cost"
        await app.press("enter")
        await app.wait_until(lambda: "sorted by cost, reversed" in app.text)
        await app.press("colon", "q", "enter")
        await app.wait_until(lambda: app.app._exit)


@pytest.mark.long  # in every run: the words of these messages, without the app
async def test_each_mistake_is_told_and_the_line_stays(drive) -> None:
    async with drive(make_busy_fleet(), size=(120, 40)) as app:
        await app.press("colon", *"bord", "enter")
        assert 'no command "bord"; did you mean board?' in app.text
        await app.press("backspace", "backspace", "backspace", *"oard now", "enter")
        assert "board takes no argument" in app.text
        await app.press("escape", "colon", *"p", "enter")
        assert '"p" could be p' in app.text
        await app.press("escape", "colon", *"theme nrod", "enter")
        assert 'theme: no such name "nrod"; did you mean nord?' in app.text
        await app.press("escape", "colon", *"pause", "enter")
        await app.wait_until(lambda: "pause: in a replay" in app.text)
        await app.press("colon", "tab", "tab", "shift+tab", "escape")
        assert isinstance(app.app.screen, FleetScreen)


async def test_an_answer_can_not_be_typed_nor_given_by_what_is_typed(asking_session: AskingSession) -> None:
    async with asking_session.run_app() as app:
        with asking_session.open_request(given={"command": "npm test"}) as hook:
            await app.wait_for_text("a allow")
            asking_session.settle()
            await app.press("colon", *"a", *"llow", "enter")
            assert "answers are given by their key" in app.text
            await app.press("escape")
            asking_session.settle()
            await app.press("colon", "a", "y", "d", "escape")
            assert isinstance(app.app.screen, FleetScreen)
            assert hook.process.poll() is None
            asking_session.settle()
            await app.press("a")
            await app.wait_for_text("s1: allowed here")
            assert hook.decision() == {"behavior": "allow"}
