"""The tables generated from the code and its data. `python -m tests.support.tables` updates them.

Most are in the documentation; pricing.json and help.txt are files that the app loads, stream.schema.json is for other programs,
config.schema.json for editors, and atm-tui.1 is the man page.
A table in the documentation is between two comments, `<!-- NAME -->` and `<!-- /NAME -->`.
"""

import argparse
import ast
import re
import tomllib
from argparse import RawDescriptionHelpFormatter
from functools import partial
from pathlib import Path

import msgspec

from atm_tui import commands
from atm_tui.cli.arguments import make_parser
from atm_tui.cli.exit_codes import list_exit_code_rows
from atm_tui.cli.fixed_texts import WIDTH
from atm_tui.cli.session_argument import HELP
from atm_tui.cli.table import COMMANDS
from atm_tui.cost.pricing import build_table
from atm_tui.keys.presets import list_preset_rows
from atm_tui.keys.schema import format_config_schema
from atm_tui.model import custom_command
from atm_tui.model.stream import build_stream_schema
from atm_tui.risk.rules import DANGERS
from atm_tui.settings.options import EVENTS
from atm_tui.view.command import write_command_row
from atm_tui.view.config_rows import list_config_rows
from atm_tui.view.filter_terms import KEYS, TERMS
from atm_tui.view.present import ASCII, UNICODE
from atm_tui.view.signs import list_signs
from atm_tui.view.status_columns import list_column_rows
from atm_tui.view.status_format import list_field_rows
from tests.support.contrasts import COLUMNS, list_contrast_rows
from tests.support.hostile_day import list_situation_rows
from tests.support.man_page import write_man_page

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCS = ROOT / "docs"
HELP_TEXT = ROOT / "tui" / "atm_tui" / "cli" / "help.txt"
MAN_PAGE = ROOT / "share" / "man" / "man1" / "atm-tui.1"
PRICES = ROOT / "tui" / "atm_tui" / "cost" / "pricing.toml"
STREAM_SCHEMA = DOCS / "stream.schema.json"
SCHEMA = DOCS / "config.schema.json"
PAGES = (README, CONTRIBUTING, *sorted(DOCS.glob("*.md")))

FIRST_KEYS = ("jump", "peek", "next_waiting", "allow", "deny", "arm", "filter", "board", "palette", "help", "quit")
"""The commands whose keys the README names; docs/keys.md has all."""
INSTALLER = ("install", "uninstall", "doctor")
"""The commands that docs/install.md describes; the others are in docs/commands.md."""

Table = list[str]
"""Lines of Markdown."""


def find_page(command: str) -> Path:
    """Returns the page that describes a command and its options."""
    return DOCS / ("install.md" if command in INSTALLER else "commands.md")


def make_tables() -> dict[tuple[Path, str], Table]:
    """Returns every generated table by its page and its name there."""
    rows = {each.id: write_command_row(each) for each in commands.COMMANDS}
    tables = {
        (README, "signs"): list_state_signs(),
        (README, "keys"): make_head("key", "what it does") + [rows[each] for each in FIRST_KEYS],
        (README, "commands"): make_head("command", "what it does")
        + [f"| `atm-tui {name}` | {command.help} |" for name, command in COMMANDS.items()],
        (DOCS / "keys.md", "filter"): make_head("term", "finds sessions")
        + [f"| `{term}` | {text} |" for term, text in TERMS],
        (DOCS / "keys.md", "filter-keys"): make_head("key", "in the line of the filter")
        + [f"| {' '.join(f'`{each}`' for each in key.split())} | {text} |" for key, text in KEYS],
        (DOCS / "keys.md", "keys"): make_head("key", "name", "what it does")
        + [write_command_row(each, with_id=True) for each in commands.COMMANDS],
        (DOCS / "keys.md", "presets"): make_head("preset", "what it is for", "commands whose keys differ")
        + list_preset_rows(),
        (DOCS / "commands.md", "exits"): make_head("code", "meaning") + list_exit_code_rows(),
        (DOCS / "commands.md", "options"): make_option_table(None),
        (DOCS / "trouble.md", "trouble"): make_head("what happens", "what you see") + list_situation_rows(),
        (DOCS / "answering.md", "dangers"): make_head("name", "asks twice what …")
        + [f"| `{name}` | {text} |" for name, text in DANGERS.items()],
        (DOCS / "configuration.md", "config"): make_head("key", "default", "meaning") + list_config_rows(),
        (DOCS / "commands.md", "columns"): make_head("column", "what it shows") + list_column_rows(),
        (DOCS / "commands.md", "fields"): make_head("field", "what it stands for") + list_field_rows(),
        (DOCS / "configuration.md", "command-keys"): make_head("key", "meaning") + custom_command.list_meaning_rows(),
        (DOCS / "configuration.md", "command-fields"): make_head("field", "what it stands for")
        + custom_command.list_field_rows(),
        (DOCS / "themes.md", "contrast"): make_head("theme", *COLUMNS, "256 colours", "16 colours")
        + list_contrast_rows(),
        (DOCS / "status.md", "signs"): make_sign_table(),
        (DOCS / "install.md", "events"): make_event_table(),
        (CONTRIBUTING, "rooms"): make_room_table(),
    }
    return tables | {(find_page(name), f"options-{name}"): make_option_table(name) for name in COMMANDS}


def make_head(*columns: str) -> Table:
    """Returns the first two lines of a table."""
    return [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]


def list_options(name: str | None) -> list[argparse.Action]:
    """Lists the options and arguments of a command, or those before any command, except --help."""
    top = make_parser(name)
    [commands_action] = [each for each in top._actions if isinstance(each, argparse._SubParsersAction)]
    parser = commands_action.choices[name] if name else top
    return [each for each in parser._actions if each is not commands_action and each.dest != "help"]


def format_option(option: argparse.Action) -> str:
    """Formats an option with its argument: `--scope user|project|local`."""
    value = "" if option.nargs == 0 else option.metavar or "|".join(map(str, option.choices or ()))
    if option.nargs in ("?", "*") and value:
        value = f"[{value}]"
    if option.nargs == "+":
        value = f"{value} …"
    if not option.option_strings:
        return str(value)
    return "`, `".join(f"{each} {value}".strip() for each in option.option_strings)


def make_option_table(name: str | None) -> Table:
    """Makes the table of a command's options, with the texts of its --help."""
    rows = []
    for option in list_options(name):
        text = (option.help or "").replace(HELP, "a session, see [ID](#what-id-means)").replace("%%", "%")
        rows.append(f"| {escape_bars(f'`{format_option(option)}`')} | {escape_bars(text)} |")
    return make_head("option", "meaning") + rows


def escape_bars(cell: str) -> str:
    """Escapes bars in the text of a cell, so that they don't end it."""
    return cell.replace("|", "\\|")


def make_sign_table() -> Table:
    """Makes the table of the signs of states and marks, with their ASCII replacements."""
    rows = [
        f"| {sign} | `{plain}` | {text} |"
        for (sign, _, text), (plain, _, _) in zip(list_signs(UNICODE), list_signs(ASCII), strict=True)
    ]
    return make_head("sign", "ASCII", "meaning") + rows


def list_state_signs() -> Table:
    """Lists the signs of states, without the additional marks of sessions."""
    marks = {UNICODE.armed, UNICODE.marked, UNICODE.pinned, UNICODE.snoozed}
    return make_head("sign", "meaning") + [
        f"| {sign} | {text} |" for sign, _, text in list_signs(UNICODE) if sign not in marks
    ]


def make_event_table() -> Table:
    """Makes the table of registered hook events: whether Claude Code waits for the hook, and which are in the lean set."""
    return make_head("event", "Claude Code waits", "in `lean`", "why") + [
        f"| `{rule.name}` | {'yes' if rule.sync else 'no'} | {'yes' if rule.lean else 'no'} | {rule.why} |"
        for rule in EVENTS
    ]


def read_layers() -> list[list[str]]:
    """Reads the packages of `tui/atm_tui/` from the top down, as in the import contract; those in a row are on one level."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each["type"] == "layers"]
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def make_room_table() -> Table:
    """Makes the table of packages from the top down, each with the first sentence of its docstring."""
    rows = []
    for name in (name for layer in read_layers() for name in layer):
        folder = ROOT / "tui" / "atm_tui" / name
        source = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        text = (ast.get_docstring(ast.parse(source.read_text("utf-8"))) or "").split("\n\n")[0].replace("\n", " ")
        rows.append(f"| `{name}{'/' if folder.is_dir() else '.py'}` | {text} |")
    return make_head("room", "what it holds") + rows


def describe_place(name: str) -> re.Pattern[str]:
    """Returns a pattern that finds a table: group 2 is the text between its comments."""
    return re.compile(rf"(<!-- {re.escape(name)} -->\n)(.*?)(<!-- /{re.escape(name)} -->)", re.DOTALL)


def read_table(page: Path, name: str) -> Table:
    """Returns the lines of a table on the page. Raises KeyError if it is missing or there twice."""
    found = describe_place(name).findall(page.read_text("utf-8"))
    if len(found) != 1:
        raise KeyError(f"{page.name}: {len(found)} tables named {name}")
    return str(found[0][1]).splitlines()


def make_prices() -> str:
    """Returns the text of pricing.json."""
    data = tomllib.loads(PRICES.read_text("utf-8"))
    return msgspec.json.format(msgspec.json.encode(build_table(data, PRICES.name)), indent=1).decode() + "\n"


def make_stream_schema() -> str:
    """Returns the text of stream.schema.json."""
    return msgspec.json.format(msgspec.json.encode(build_stream_schema(), order="sorted"), indent=1).decode() + "\n"


def make_help() -> str:
    """Returns the text of help.txt: the help of the command line at its width."""
    top = make_parser()
    top.formatter_class = partial(RawDescriptionHelpFormatter, width=WIDTH - 2)
    return top.format_help()


def make_man_page() -> str:
    """Returns the text of the man page."""
    return write_man_page({name: table for (page, name), table in make_tables().items() if page != README})


def write_tables() -> None:
    """Writes all tables into their pages, config.schema.json, pricing.json, stream.schema.json, help.txt and the man page."""
    MAN_PAGE.write_text(make_man_page(), "utf-8")
    HELP_TEXT.write_text(make_help(), "ascii")
    SCHEMA.write_text(format_config_schema(), "utf-8")
    PRICES.with_suffix(".json").write_text(make_prices(), "utf-8")
    STREAM_SCHEMA.write_text(make_stream_schema(), "utf-8")
    for (page, name), table in make_tables().items():
        read_table(page, name)
        new = "\n".join(table) + "\n"
        text = describe_place(name).sub(lambda found, new=new: found[1] + new + found[3], page.read_text("utf-8"))
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    write_tables()
