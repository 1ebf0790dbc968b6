"""Keys, footer, help and README derive from one declaration of each command."""

from textual.binding import Binding

from atm_tui import commands
from atm_tui.app import AtmApp
from atm_tui.screens.main import MainScreen
from atm_tui.screens.peek import PeekScreen
from atm_tui.screens.replay import ReplayScreen
from atm_tui.screens.request import RequestScreen
from atm_tui.screens.usage import UsageScreen
from atm_tui.text import wrap
from atm_tui.widgets.scroll_pane import ScrollPane
from atm_tui.widgets.session_tree import SessionTree


def test_ids_and_keys_are_unique() -> None:
    ids = [each.id for each in commands.COMMANDS]
    assert len(set(ids)) == len(ids)
    for screen in (
        {"tree", "main", "replay", "app"},
        {"usage", "app"},
        {"tree", "main", "tend", "app"},
        {"request"},
        {"peek"},
    ):
        keys = [key for each in commands.COMMANDS if each.group in screen for key in each.keys]
        assert len(set(keys)) == len(keys)


def test_every_command_has_an_action_where_it_is_bound() -> None:
    owners = {
        "app": AtmApp,
        "main": MainScreen,
        "tend": MainScreen,
        "empty": MainScreen,
        "peek": PeekScreen,
        "request": RequestScreen,
        "replay": ReplayScreen,
        "tree": SessionTree,
        "pane": ScrollPane,
        "usage": UsageScreen,
    }
    for each in commands.COMMANDS:
        owner = owners[each.group]
        bound = [binding for binding in owner.BINDINGS if isinstance(binding, Binding) and binding.id == each.id]
        assert ",".join(binding.key for binding in bound) == ",".join(each.keys)
        assert len(bound) == (len(each.keys) if each.by_key else 1)
        doer = MainScreen if each.group == "pane" else owner
        for binding in bound:
            action = binding.action.removeprefix("screen." if each.group == "pane" else "")
            assert hasattr(doer, f"action_{action.split('(')[0]}"), each.id
        assert hasattr(doer, f"action_{each.id}"), each.id


def test_a_command_that_is_disabled_says_why_in_words_for_a_user() -> None:
    for each in commands.COMMANDS:
        reason = each.disabled(commands.NOTHING)
        assert reason is None or (len(reason) > 10 and "feature" not in reason)


async def test_the_footer_and_the_help_name_what_is_declared(drive) -> None:
    async with drive([], size=(160, 120)) as app:
        for each in commands.footer_commands():
            if each.live and each.disabled(app.main.selection):
                continue
            assert f"{commands.key_labels(each)[0]} {each.title}" in app.lines[-1]
        await app.press("question_mark")
        for each in commands.COMMANDS:
            line = app.line_with(wrap(each.help, 53, 9)[0])
            assert all(label in line for label in commands.key_labels(each))


def test_readme_rows_name_each_key_in_words() -> None:
    rows = commands.readme_rows()
    assert len(rows) == len(commands.COMMANDS)
    assert "| `Down` `j` | Next row |" in rows
    assert "| `PgDn` `^f` | One screen down |" in rows


def test_an_unknown_command_is_an_error() -> None:
    try:
        commands.command("nope")
    except KeyError:
        return
    raise AssertionError
