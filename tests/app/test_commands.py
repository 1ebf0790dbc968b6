"""Keys, footer, help and documentation derive from one declaration of each command."""

import pytest
from textual.binding import Binding

from atm_tui import commands
from atm_tui.app import AtmApp
from atm_tui.config import Config
from atm_tui.keys.footer import list_footer_commands
from atm_tui.keys.table import CommandKeys
from atm_tui.monitor.recording import read_entries
from atm_tui.monitor.replay import Replay
from atm_tui.screens.choices import ChoicesScreen
from atm_tui.screens.conversation import ConversationScreen
from atm_tui.screens.fleet import FleetScreen
from atm_tui.screens.help import HelpScreen
from atm_tui.screens.peek import PeekScreen
from atm_tui.screens.request import RequestScreen
from atm_tui.screens.settings import SettingsScreen
from atm_tui.screens.usage import UsageScreen
from atm_tui.screens.wizard import WizardScreen
from atm_tui.text import wrap_text
from atm_tui.view.command import NOTHING, format_keys, write_command_row
from atm_tui.view.dialog_commands import DIALOGS
from atm_tui.view.present import UNICODE
from atm_tui.widgets.scroll_pane import ScrollPane
from atm_tui.widgets.session_tree import SessionTree
from tests.support.fleets import make_busy_fleet
from tests.support.timelines import DATA


def test_ids_and_keys_are_unique() -> None:
    ids = [each.id for each in commands.COMMANDS]
    assert len(set(ids)) == len(ids)
    for screen in (
        {"tree", "main", "replay", "app"},
        {"usage", "app"},
        {"tree", "main", "organize", "app"},
        {"request"},
        {"peek"},
        {"tree", "conversation"},
        *({each} for each in DIALOGS),
    ):
        keys = [key for each in commands.COMMANDS if each.group in screen for key in each.keys]
        assert len(set(keys)) == len(keys)


async def test_every_command_runs_where_it_is_bound(drive) -> None:
    owners = {
        "app": AtmApp,
        "main": FleetScreen,
        "organize": FleetScreen,
        "empty": FleetScreen,
        "peek": PeekScreen,
        "conversation": ConversationScreen,
        "request": RequestScreen,
        "replay": FleetScreen,
        "tree": SessionTree,
        "pane": ScrollPane,
        "usage": UsageScreen,
        "wizard": WizardScreen,
        "settings": SettingsScreen,
        "choices": ChoicesScreen,
        "text": HelpScreen,
    }
    replay = AtmApp(Replay(read_entries(DATA / "recordings" / "01-permission-allowed.jsonl")), Config())
    async with drive(make_busy_fleet()) as app, replay.run_test():
        await app.press("g", "j", "space")
        handled = {PeekScreen: app.app.screen.handlers}
        shown = ConversationScreen(
            make_busy_fleet()[0], "/none", app.monitor, Config(), UNICODE, CommandKeys(), lambda: None
        )
        handled[ConversationScreen] = shown.handlers
        handled[FleetScreen] = handled[ScrollPane] = app.main.handlers | replay.fleet_screen.handlers
        for each in commands.COMMANDS:
            owner = owners[each.group]
            bound = [
                binding
                for binding in owner.BINDINGS
                if isinstance(binding, Binding) and commands.find_command_id(binding) == each.id
            ]
            assert ",".join(binding.key for binding in bound) == ",".join(each.keys)
            assert len(bound) == (len(each.keys) if each.by_key else 1)
            if each.group in commands.HANDLED:
                assert all(f"command('{each.id}'" in binding.action for binding in bound)
                assert each.id in handled[owner], each.id
            else:
                action = each.id.removeprefix(f"{each.group}_") if each.group in DIALOGS else each.id
                assert all(binding.action.split("(")[0] == action for binding in bound)
                assert hasattr(owner, f"action_{action}"), each.id


def test_a_disabled_command_gives_a_reason_for_users() -> None:
    for each in commands.COMMANDS:
        reason = each.disabled(NOTHING)
        assert reason is None or (len(reason) > 10 and "feature" not in reason)


async def test_footer_and_help_use_the_declared_names(drive) -> None:
    async with drive([], size=(160, 200)) as app:
        for each in list_footer_commands():
            if each.only_enabled and each.disabled(app.main.selection):
                continue
            assert f"{format_keys(each)[0]} {each.title}" in app.lines[-1]
        await app.press("question_mark")
        for each in commands.COMMANDS:
            line = app.line_with(wrap_text(each.help, 53, 9)[0])
            assert all(label in line for label in format_keys(each))


def test_the_documentation_spells_out_each_key() -> None:
    rows = [write_command_row(each) for each in commands.COMMANDS]
    assert len(rows) == len(commands.COMMANDS)
    assert "| `Down` `j` | Next row |" in rows
    assert "| `PgDn` `^f` | One screen down |" in rows


def test_an_unknown_command_is_an_error() -> None:
    with pytest.raises(KeyError):
        commands.find_command("nope")
