"""The configuration: defaults without a file, all that is wrong at once, and what remains of a bad file."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from textual.theme import BUILTIN_THEMES

from atm_tui.config import MEANINGS, TEXTUAL_THEMES, THEME_NAMES, Config, ConfigError
from atm_tui.keys.schema import format_config_schema
from atm_tui.model.key_path import format_key
from atm_tui.model.notification import NotifyWay
from atm_tui.sources.config_checks import CHECKS
from atm_tui.sources.config_file import examine_config, examine_text, find_kinds, read_config
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.toml_lines import find_lines
from atm_tui.view.config_rows import format_value, list_rows, strip_markdown
from atm_tui.view.themes import THEMES
from tests.support.tables import SCHEMA
from tests.support.timelines import DATA

FILES = DATA / "config"


def test_without_a_file_everything_has_its_default(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none.toml") == Config()


@pytest.mark.parametrize("path", sorted((FILES / "valid").glob("*.toml")), ids=lambda path: path.stem)
def test_a_valid_file_is_accepted(path: Path) -> None:
    config = read_config(path)
    assert config != Config() or path.stem == "empty"
    assert config.build_prices().models
    # value by value it gives the same as in one piece
    text = path.read_text()
    assert examine_text(f"{text}\n[unknown]").config == config


@pytest.mark.parametrize("path", sorted((FILES / "invalid").glob("*.toml")), ids=lambda path: path.stem)
def test_an_invalid_file_is_refused_with_its_name_and_the_expected_words(path: Path) -> None:
    """The first line of each file is `# expect: words`."""
    words = path.read_text("utf-8").splitlines()[0].removeprefix("# expect: ")
    with pytest.raises(ConfigError) as raised:
        read_config(path)
    assert str(raised.value).startswith(f"{path}:")
    assert words in str(raised.value)
    examine_config(path).config.build_prices()


MANY = """\
them = "nord"          # 1: unknown
theme = "norrd"        # 2: unknown value
budget_day = -5
ascii = yes
dangers = [
  "deploy",
  "(",
  "!outsid",
]
notify_by = ["bell", "bel"]
closed_after = 30      # fine
read_only = "true"

[[commands]]
key = "C"
title = "fine"
run = ["true"]

[[commands]]
key = "D"
titel = "x"
run = ["true"]

[[commands]]
key = "E"
title = "field"
run = ["echo", "{branche}"]

[pricing]
web_search = "x"
[pricing.models.mine]
context_window = 1000
[pricing.models.bad]
contxt = 1
context_window = 1.5
aliases = ["a", 2]
[[pricing.models.bad.prices]]
input = 1
output = 1
cache_write_5m = 1
cache_write_1h = 1
cache_read = 1
[[pricing.models.bad.prices]]
input = "1"
outputs = 1
[pricing.region_factors]
eu = "1.1"
us = 1.1
"""


def test_all_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(MANY)
    with pytest.raises(ConfigError) as raised:
        read_config(path)
    told = str(raised.value).splitlines()
    wanted = [
        (1, 'them: unknown key; did you mean "theme"?'),
        (2, 'theme: unknown value "norrd"; did you mean "nord"?'),
        (3, "budget_day: expected a number of at least 0"),
        (4, "not TOML: Invalid value (column"),
        (7, 'dangers[1]: "(" is no regular expression'),
        (8, 'dangers[2]: "!outsid" leaves out nothing; did you mean "!outside"?'),
        (10, 'notify_by[1]: unknown value "bel"; did you mean "bell"?'),
        (12, "read_only: expected true or false, not a text"),
        (21, 'commands[1].titel: unknown key; did you mean "title"?'),
        (19, "commands[1]: lacks the key title"),
        (27, 'commands[2].run: unknown field "branche"; did you mean "branch"?'),
        (30, "pricing.web_search: expected a number, not a text"),
        (34, 'pricing.models.bad.contxt: unknown key; did you mean "context_window"?'),
        (35, "pricing.models.bad.context_window: expected a whole number, not a number"),
        (36, "pricing.models.bad.aliases[1]: expected a text, not a whole number"),
        (43, "pricing.models.bad.prices[1]: lacks the key output"),
        (43, "pricing.models.bad.prices[1]: lacks the key cache_write_5m"),
        (43, "pricing.models.bad.prices[1]: lacks the key cache_write_1h"),
        (43, "pricing.models.bad.prices[1]: lacks the key cache_read"),
        (44, "pricing.models.bad.prices[1].input: expected a number, not a text"),
        (45, 'pricing.models.bad.prices[1].outputs: unknown key; did you mean "output"?'),
        (47, "pricing.region_factors.eu: expected a number, not a text"),
    ]
    for line, words in wanted:
        assert [each for each in told if each.startswith(f"{path}:{line}: {words}")], (line, words, told)
    assert len(told) == len(wanted), told
    assert [each.line for each in raised.value.problems] == sorted(each.line for each in raised.value.problems)


COMPOUND = """\
context_thresholds = ["a", 80, "c"]
[hosts."a b"]
ssh = "-x"
command = ""
[fleet]
nats = "http://name"
machine = "a b"
creds = "a"
nkey = "b"
[pricing.models.mine]
aliases = [1, "b", 2]
[[pricing.models.mine.prices]]
input = 1
output = 1
cache_write_5m = 1
cache_write_1h = 1
cache_read = 1
long_prompt = { abov = 1, input = "1", output = -1, cache_read = 1 }
"""
FAULTS = """\
context_thresholds[0]: expected a whole number, not a text
context_thresholds[2]: expected a whole number, not a text
hosts."a b": a name has letters, digits, dots and hyphens only
hosts."a b".ssh: "-x" is no destination of ssh
hosts."a b".command: it is empty
fleet.nats: it is no address like "nats://name:4222"
fleet.machine: a name has letters, digits, dots and hyphens only
fleet.nkey: give either creds or nkey
pricing.models.mine.aliases[0]: expected a text, not a whole number
pricing.models.mine.aliases[2]: expected a text, not a whole number
pricing.models.mine.prices[0].long_prompt: lacks the key cache_write_5m
pricing.models.mine.prices[0].long_prompt: lacks the key cache_write_1h
pricing.models.mine.prices[0].long_prompt: lacks the key above
pricing.models.mine.prices[0].long_prompt.abov: unknown key; did you mean "above"?
pricing.models.mine.prices[0].long_prompt.input: expected a number, not a text
pricing.models.mine.prices[0].long_prompt.output: expected a number of at least 0
"""


def test_of_a_value_with_many_parts_each_fault_is_told() -> None:
    told = [f"{each.key}: {each.text}" for each in examine_text(COMPOUND).problems]
    assert sorted(told) == sorted(FAULTS.splitlines())


PARTIAL = """\
dangers = [1, "("]
[fleet]
nats = "http://name"
levl = "full"
tls_cert = "c"
[hosts.a]
shs = "x"
command = ""
[[commands]]
title = "x"
run = ["true"]
[[commands]]
key = "C"
title = "fine"
run = ["true"]
[[commands]]
key = "C"
title = "y"
run = ["echo", "{branche}"]
helf = "z"
"""
PARTIAL_FAULTS = """\
dangers[0]: expected a text, not a whole number
dangers[1]: "(" is no regular expression: missing ), unterminated subpattern at position 0. Correct it, or remove it.
fleet.nats: it is no address like "nats://name:4222"
fleet.levl: unknown key; did you mean "level"?
hosts.a.shs: unknown key; did you mean "ssh"?
hosts.a.command: it is empty
commands[0]: lacks the key key
commands[2].key: "C" is the key of "fine" already
commands[2].run: unknown field "branche"; did you mean "branch"?
commands[2].helf: unknown key; did you mean "help"?
"""


def test_a_mistyped_key_of_a_table_hides_nothing_else_that_is_wrong_in_it() -> None:
    """What a mistyped key may have meant is not called missing."""
    reading = examine_text(PARTIAL)
    assert sorted(f"{each.key}: {each.text}" for each in reading.problems) == sorted(PARTIAL_FAULTS.splitlines())
    assert [each.title for each in reading.config.commands] == ["fine"]
    assert (reading.config.hosts, reading.config.fleet) == ({}, Config().fleet)
    last = Config(dangers=("a",))
    later = examine_text(PARTIAL, last)
    assert (later.problems, later.config) == (reading.problems, last)


def test_at_the_start_what_is_right_holds_and_the_rest_has_its_default() -> None:
    config = examine_text(MANY).config
    assert config.closed_after == 30
    assert config.theme == "atm-dark"
    assert config.dangers == ("deploy",)
    assert config.notify_by == (NotifyWay.BELL,)
    assert [each.key for each in config.commands] == ["C"]
    assert config.pricing == {"models": {"mine": {"context_window": 1000}}, "region_factors": {"us": 1.1}}
    assert config.build_prices().find_window("mine") == 1000
    assert config.read_only, "a word that was meant to forbid something never allows it"


def test_later_a_bad_key_keeps_its_last_good_value(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    followed = FollowedConfig(path, {"hide_headless": (True, "--hide")})
    assert not followed.read(), "there is no file, and nothing wrong with that"
    path.write_text('theme = "nord"\ndangers = ["a", "b"]\nbudget_day = 3\n')
    assert followed.has_changed()
    assert followed.read()
    path.write_text('theme = "norrd"\ndangers = ["a", "("]\n')
    assert followed.read()
    config = followed.config
    assert (config.theme, config.dangers, config.budget_day) == ("nord", ("a", "b"), 0.0)
    assert config.hide_headless
    rows = {row.key: row for row in list_rows(followed)}
    assert (rows["theme"].value, rows["theme"].origin, rows["theme"].line) == ('"nord"', "last good", 1)
    assert 'did you mean "nord"' in rows["theme"].problem
    assert rows["hide_headless"].origin == "--hide"
    assert rows["budget_day"].origin == "default"
    path.write_text("theme = nord\nclosed_after = 3\n")
    assert followed.read()
    assert (followed.config.theme, followed.config.closed_after) == ("nord", 3.0)
    config = followed.config
    path.write_text("[[[")
    assert followed.read()
    assert followed.config == config
    path.unlink()
    assert followed.read()
    assert followed.config == Config(hide_headless=True)


def test_a_line_that_is_no_toml_and_forbids_something_still_does() -> None:
    assert examine_text("read_only = yes\ntheme = 'nord'").config == Config(read_only=True, theme="nord")
    assert not examine_text("ascii = yes\n").config.read_only


@pytest.mark.parametrize(
    ("data", "forbids"),
    [
        (b'x = """', True),
        (b"x = [1,", True),
        ("\ud800".encode("utf-8", "surrogatepass"), True),
        (b"a = 1\na = 2\n", False),
    ],
)
def test_a_file_that_is_no_toml_is_reported_and_where_all_is_lost_nothing_is_allowed(
    tmp_path: Path, data: bytes, forbids: bool
) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(data)
    reading = examine_config(path)
    assert reading.problems
    assert reading.config.read_only is forbids
    assert examine_config(path, Config(theme="nord")).config.theme == "nord"


def test_a_folder_in_its_place_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        read_config(tmp_path)


def test_the_users_own_price_applies() -> None:
    table = read_config(FILES / "valid" / "prices.toml").build_prices()
    assert table.find_id("my-own-model")


LINES = """\
"a b".c = {x = 1, y = [1, 2]} # [no]
text = '''
[not.a.table]
'''

[[list]]
name = "#"
rest = [ # ]
  [1],
  "]",
]
[list.inner]
x = 1
[[list]]
[[list.inner]]
"""


def test_the_line_of_each_key_is_found() -> None:
    found = {format_key(path): line for path, line in find_lines(LINES).items()}
    for key, line in {
        '"a b".c.y[1]': 1, "text": 2, "list": 6, "list[0].name": 7, "list[0].rest": 8, "list[0].rest[0][0]": 9,
        "list[0].rest[1]": 10, "list[0].inner": 12, "list[0].inner.x": 13, "list[1]": 14, "list[1].inner[0]": 15,
    }.items():  # fmt: skip
        assert found[key] == line, key
    assert "not" not in found


def test_every_key_has_a_meaning_a_kind_and_a_value_as_toml() -> None:
    assert list(MEANINGS) == list(Config.__struct_fields__) == list(find_kinds())
    for key in MEANINGS:
        value = format_value(getattr(Config(), key))
        assert examine_text(f"{key} = {value}").config == Config(), key
        assert not re.search(r"[][`]\(|\bsee\b", strip_markdown(MEANINGS[key])), f"{key}: there is no link on a screen"
    assert all(next(check(Config()), None) is None for check in CHECKS)


def test_the_themes_are_those_that_there_are() -> None:
    assert set(BUILTIN_THEMES) <= set(TEXTUAL_THEMES)
    assert (*(theme.name for theme in THEMES), *TEXTUAL_THEMES) == THEME_NAMES


def test_the_schema_is_what_the_code_says() -> None:
    assert SCHEMA.read_text("utf-8") == format_config_schema(), "python -m tests.support.tables writes it anew"
    schema = json.loads(format_config_schema())
    assert list(schema["properties"]) == list(MEANINGS)
    assert all(each["description"] for each in schema["properties"].values())
    assert schema["properties"]["commands"]["items"] == {"$ref": "#/$defs/CustomCommand"}
    named = {each.rpartition("/")[2] for each in _list_references(schema)}
    assert named == set(schema["$defs"])
    jsonschema.validate({"keys": {"preset": "vim", "board": ["B", "g b"]}, "column_widths": {"session": 30}}, schema)
    for wrong in ({"keys": {"bord": "B"}}, {"keys": {"preset": "vin"}}, {"column_widths": {"sesion": 30}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def _list_references(value: object) -> list[str]:
    if isinstance(value, list):
        return [found for each in value for found in _list_references(each)]
    if not isinstance(value, dict):
        return []
    return [each for key, inner in value.items() for each in ([inner] if key == "$ref" else _list_references(inner))]
