"""Names of keys, presets and conflicts, each as a person writes them in the configuration."""

from itertools import combinations

import pytest

from atm_tui import commands
from atm_tui.keys.conflicts import FIXED, PLACES
from atm_tui.keys.names import KeyNameError, read_keys
from atm_tui.keys.presets import PRESETS
from atm_tui.keys.table import CommandKeys, KeysError
from atm_tui.screens.peek import PeekScreen
from atm_tui.screens.request import RequestScreen
from atm_tui.screens.usage import UsageScreen
from atm_tui.view.command import format_key


@pytest.mark.parametrize(
    ("written", "name", "label"),
    [
        ("g", "g", "g"),
        ("G", "G", "G"),
        ("shift+g", "G", "G"),
        ("?", "question_mark", "?"),
        ("question_mark", "question_mark", "?"),
        ("+", "plus", "+"),
        ("ctrl++", "ctrl+plus", "^+"),
        ("Ctrl+F", "ctrl+f", "^f"),
        ("F5", "f5", "F5"),
        ("Esc", "escape", "Esc"),
        ("PgDn", "pagedown", "PgDn"),
        ("del", "delete", "Del"),
        ("ü", "ü", "ü"),
        ("g g", "g g", "g g"),
        ("g  ?", "g question_mark", "g ?"),
        ("Z Z", "Z Z", "Z Z"),
    ],
)
def test_keys_are_read_as_they_are_written(written: str, name: str, label: str) -> None:
    assert read_keys(written) == name
    assert format_key(name, ascii_only=True) == label


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "neither a key"),
        ("g g g", "neither a key"),
        ("entr", 'did you mean "enter"?'),
        ("hyper+g", '"hyper" is not one of ctrl'),
        ("ctrl+i", 'is tab for a terminal: write "tab"'),
        ("gg", '"gg" is no key'),
    ],
)
def test_what_is_no_key_is_refused_with_the_reason(written: str, reason: str) -> None:
    with pytest.raises(KeyNameError) as error:
        read_keys(written)
    assert reason in str(error.value)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"bord": "B"}, 'keys.bord: unknown command; did you mean "board"?'),
        ({"frobnicate_all": "B"}, "keys.frobnicate_all: unknown command; `:` in the app lists all"),
        ({"board": 7}, "keys.board: expected a key, or a list of keys"),
        ({"board": ["B", "entr"]}, 'keys.board: "entr" is no key; did you mean "enter"?'),
        ({"preset": "vin"}, 'keys.preset: unknown preset "vin"; did you mean "vim"?'),
        ({"preset": ("vim",)}, "keys.preset: expected one preset: vim, plain"),
        ({"pane": list("abcdefg")}, "keys.pane: has 6 keys at most: the first is that of number 1"),
        ({"nth": ["x"]}, 'keys.nth: "x" is also a key of put_away'),
        (
            {"board": "s"},
            'keys.board: "s" is also a key of sort: choose another key, or set keys.sort too ([]: no key)',
        ),
        ({"board": "B", "tree": "B"}, 'keys.tree: "B" is also a key of board'),
        ({"board": "g b"}, 'keys.board: "g b" begins with "g", a key of cursor_first'),
        ({"cursor_first": "g g", "board": "g"}, 'keys.cursor_first: "g g" begins with "g", a key of board'),
        ({"cursor_first": ["g", "g g"]}, 'keys.cursor_first: "g" is the first key of a chord of the same command'),
        ({"allow": "g a"}, 'keys.allow: "g a" is a chord: an answer needs one key'),
        ({"sure": "Y Y"}, 'keys.sure: "Y Y" is a chord'),
        ({"sure": "a"}, 'keys.sure: "a" is also a key of allow'),
        ({"sure": "enter"}, 'keys.sure: "Enter" is also a key of send'),
        ({"allow": "space"}, "has a fixed meaning there"),
        ({"usage": "r"}, 'keys.usage: "r" is also a key of read_again'),
        ({"wizard_apply": "enter"}, 'keys.wizard_apply: "Enter" is also a key of wizard_forward'),
        ({"settings_reset": "j"}, 'keys.settings_reset: "j" is also a key of cursor_down'),
        ({"peek_close": "G"}, 'keys.peek_close: "G" is also a key of cursor_last'),
        ({"choices_leave": []}, 'keys.choices_leave: needs a key: nothing else runs "back" in a list to choose from'),
    ],
)
def test_each_problem_names_the_key_and_what_to_do(given: dict[str, object], problem: str) -> None:
    with pytest.raises(KeysError) as error:
        CommandKeys(given)
    assert problem in str(error.value)


def test_all_problems_are_reported_at_once_and_the_keys_stay() -> None:
    keys = CommandKeys({"board": "B"})
    with pytest.raises(KeysError) as error:
        keys.use({"bord": "B", "board": "entr", "preset": "x", "tree": "s"})
    assert [key for key, _ in error.value.problems] == ["keys.preset", "keys.bord", "keys.board", "keys.tree"]
    assert keys.find("board").keys == ("B",)
    assert keys.keymap["board"] == "B"


def test_commands_that_take_turns_may_share_a_key() -> None:
    keys = CommandKeys({"pin": "P", "pause": "P", "demo": "Q", "deny": "Q"})
    assert keys.find("pin").keys == keys.find("pause").keys == ("P",)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_no_conflict_and_own_keys_come_before_it(preset: str) -> None:
    assert set(PRESETS[preset][1]) <= {each.id for each in commands.COMMANDS}
    keys = CommandKeys({"preset": preset, "quit": "Q"})
    for command_id, expected in PRESETS[preset][1].items():
        assert keys.find(command_id).keys == (("Q",) if command_id == "quit" else expected)


def test_a_text_names_a_command_by_its_key() -> None:
    keys = CommandKeys({"arm": "f9", "undo": []})
    assert keys.spell("press <arm>, then <undo> or <x>; 1 < 2") == "press F9, then :undo or <x>; 1 < 2"


def test_each_group_has_a_place_and_the_fixed_keys_are_those_of_the_dialogs() -> None:
    assert {group for place in PLACES for group in place} >= set(commands.GROUPS)
    bound = {group: set(screen._merged_bindings.key_to_bindings) for group, screen in
             (("request", RequestScreen), ("usage", UsageScreen), ("peek", PeekScreen))}  # fmt: skip
    assert all(set(FIXED[group]) <= keys for group, keys in bound.items())


def test_keys_of_all_commands_can_be_changed_at_once() -> None:
    ids = [each.id for each in commands.COMMANDS if not each.by_key]
    letters = iter(chr(0x4E00 + n) for n in range(len(ids)))
    keys = CommandKeys({each: next(letters) for each in ids})
    own = [each.keys for each in keys.commands if not each.by_key]
    assert all(a != b for a, b in combinations(own, 2))
