"""Every file in tests/data/settings is a test: valid ones make the round trip to the byte, invalid ones are refused."""

import hashlib
import json
from pathlib import Path

import pytest

from atm_tui.settings.document import Document
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.options import EVENT_NAMES, EventSet, Options, Route
from tests.support.effort import LONG

DATA = Path(__file__).parent.parent / "data" / "settings"
VALID = sorted((DATA / "valid").iterdir())
INVALID = sorted((DATA / "invalid").iterdir())
WRONG_SHAPE = {
    "hooks_list": "hooks is array",
    "hooks_string": "hooks is string",
    "hooks_false": "hooks is false",
    "event_object": "hooks.Stop is object",
    "event_string": "hooks.PreToolUse is string",
    "entry_string": 'hooks.Stop[0] is "/x.sh"',
    "entry_null": "hooks.Stop[0] is null",
}
ENCODINGS = {"latin_1", "overlong"}
PLACES = {
    "trailing_comma_object": (2, 18),
    "trailing_comma_array": (2, 40),
    "line_comment": (2, 3),
    "block_comment": (2, 22),
    "missing_comma": (3, 3),
    "latin_1": (1, 14),
    "hooks_false": (2, 12),
    "cut_object": (4, 1),
    "nan": (1, 7),
    "merge_conflict": (2, 1),
}
CHOICES = [{}, {"events": EventSet.LEAN}, {"agent_teams": True}, {"statusline": False}, {"route": Route.PLUGIN}]


def hash_bytes(data: bytes | None) -> str:
    return hashlib.sha256(data or b"").hexdigest()


def test_there_are_enough_files():
    assert len(VALID) >= 40
    assert len(INVALID) >= 40


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
def test_a_valid_file_survives_the_round_trip_with_any_options(file, install, uninstall):
    original = file.read_bytes()
    for options in CHOICES if LONG else (CHOICES[0], CHOICES[1 + VALID.index(file) % (len(CHOICES) - 1)]):
        first = install(original, **options)
        second = install(first.after, first.receipt, **options)
        assert hash_bytes(second.after) == hash_bytes(first.after), options
        assert second.changes == (), options
        assert second.receipt == first.receipt, options
        assert hash_bytes(uninstall(second.after, second.receipt).after) == hash_bytes(original), options


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
def test_every_event_is_registered_once_and_nothing_else_moves(file, install, commands):
    before, after = (Document(data).root.decode() for data in (file.read_bytes(), install(file.read_bytes()).after))
    hooks = after.pop("hooks")
    old = before.pop("hooks", None) or {}
    for rule in Options().list_rules():
        groups = hooks.pop(rule.name)
        assert groups.pop() == {"hooks": [Options().make_handler(rule, commands)]}
        assert groups == (old.pop(rule.name, None) or [])
    assert hooks == old
    line, old_line = after.pop("statusLine", None), before.pop("statusLine", None)
    assert after == before
    if isinstance(old_line, dict) and old_line.get("command"):
        assert line.pop("command") == commands.wrap(old_line.pop("command"))
        assert line == old_line


def test_switching_options_back_and_forth_gives_the_same_bytes(install, uninstall):
    for file in VALID if LONG else VALID[::3]:
        first = install(file.read_bytes())
        lean = install(first.after, first.receipt, events=EventSet.LEAN, statusline=False)
        again = install(lean.after, lean.receipt)
        assert uninstall(lean.after, lean.receipt).after == file.read_bytes(), file.stem
        assert uninstall(again.after, again.receipt).after == file.read_bytes(), file.stem


def test_uninstall_without_its_receipt_still_removes_all_of_ours(install, uninstall):
    for file in VALID:
        left = uninstall(install(file.read_bytes()).after)
        assert b"atm_hooks/" not in left.after, file.stem
        assert uninstall(left.after).changes == (), file.stem


def test_a_strict_parser_accepts_the_new_file(install):
    for file in VALID:
        after = install(file.read_bytes()).after
        if len(after) < 5000 or b"7777" not in after:
            json.loads(after.decode("utf-8-sig"))
        assert after.startswith(b"\xef\xbb\xbf") == file.read_bytes().startswith(b"\xef\xbb\xbf"), file.stem


@pytest.mark.parametrize("file", INVALID, ids=lambda file: file.stem)
def test_invalid_file_is_refused_with_place_and_advice(file, install):
    with pytest.raises(SettingsError) as caught:
        install(file.read_bytes())
    message = str(caught.value)
    assert "settings.json: line " in message
    assert "Next:" in message
    assert "Nothing was changed" in message
    ignored = "Claude Code ignores that entry" in message
    whole = "Claude Code itself ignores this file until it is fixed" in message
    read = "Claude Code reads the file, with another character in that place" in message
    assert ignored + whole + read == 1
    assert read == (file.stem in ENCODINGS)
    assert ignored == (file.stem in WRONG_SHAPE and file.stem != "event_string")
    assert WRONG_SHAPE.get(file.stem, "") in message
    if file.stem in PLACES:
        line, column = PLACES[file.stem]
        assert f"line {line}, column {column}:" in message


def test_uninstall_refuses_invalid_json_and_keeps_unexpected_shapes(uninstall):
    for file in INVALID:
        if file.stem in WRONG_SHAPE:
            assert not uninstall(file.read_bytes()).is_needed, file.stem
        else:
            with pytest.raises(SettingsError):
                uninstall(file.read_bytes())


def test_the_events_are_the_documented_ones():
    assert len(EVENT_NAMES) == len(set(EVENT_NAMES)) == 24
    assert not {"WorktreeCreate", "WorktreeRemove", "MessageDisplay", "PreSkillShellCommand"} & set(EVENT_NAMES)
