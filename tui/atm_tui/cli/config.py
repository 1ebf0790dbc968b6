"""`atm-tui config`: lists, checks, changes and edits the configuration."""

import argparse
import re
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line, write_lines, write_remark, write_text
from atm_tui.cli.terminal import can_ask
from atm_tui.config import MEANINGS, ConfigProblem
from atm_tui.model.key_path import format_key
from atm_tui.sources.config_checks import find_unreadable_files
from atm_tui.sources.config_file import ConfigReading, examine_config
from atm_tui.sources.exists import exists
from atm_tui.sources.followed_config import FollowedConfig
from atm_tui.sources.theme import ThemeFile
from atm_tui.text import fit_width, format_count, measure_width, suggest_name
from atm_tui.view.config_rows import ConfigRow, format_value, list_rows, write_as_toml

KEYED = ("keys", "commands")
"""The keys of the configuration whose values have keys of the keyboard."""
_PART = re.compile(r"""[^."']+|"([^"]*)"|'([^']*)'""")


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `config`."""
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--check", action="store_true", help="print all that is wrong; exit code 1 if anything is")
    actions.add_argument("--path", action="store_true", help="print the path of the file")
    actions.add_argument("--schema", action="store_true", help="print the JSON schema, for editors")
    actions.add_argument("--edit", action="store_true", help="open the file in $EDITOR, and check it afterwards")
    actions.add_argument("--unset", metavar="KEY", help="remove a key from the file, so that its default holds")
    parser.add_argument("key", nargs="?", metavar="KEY", help="the key to print; a dotted one inside a table")
    parser.add_argument("value", nargs="?", metavar="VALUE", help="its new value, which is written to the file")


def run_config(args: argparse.Namespace) -> int:
    """Does what the options say; returns the exit code. Raises CommandError."""
    path = paths.find_config_file()
    if args.key is not None and (args.check or args.path or args.schema or args.edit or args.unset):
        raise CommandError("config: give either KEY or an option.", ExitCode.USAGE)
    if args.path:
        write_line(str(path))
    elif args.schema:
        from atm_tui.keys.schema import format_config_schema

        write_text(format_config_schema().rstrip("\n"))
    elif args.check:
        return _check(path)
    elif args.edit:
        return _edit(path)
    elif args.unset:
        _change(path, args.unset, None)
    elif args.value is not None:
        _change(path, args.key, args.value)
    else:
        return _print_values(path, args.key)
    return ExitCode.DONE


def _check(path: Path) -> int:
    lines = list_problems(path)
    if lines:
        write_lines(lines)
        write_line(f"{format_count(len(lines), 'problem')}")
        return ExitCode.FAILED
    write_line(f"{path}: {'all is fine' if exists(path) else 'there is no such file, so everything has its default'}")
    return ExitCode.DONE


def list_problems(path: Path) -> list[str]:
    """Returns a line for all that is wrong in the configuration, also keys of commands that the app has itself, and files that
    it names and that can't be read.
    """
    return _describe_problems(examine_config(path), path)


def _describe_problems(reading: ConfigReading, path: Path) -> list[str]:
    problems, config = list(reading.problems), reading.config
    problems += [
        reading.locate(ConfigProblem(key=format_key(at), text=text)) for at, text in find_unreadable_files(config)
    ]
    if config.keys or config.commands:
        from atm_tui.screens.custom_commands import find_key_problems

        problems += map(reading.locate, find_key_problems(config))
    return [each.describe(str(path)) for each in sorted(problems, key=lambda each: each.line)]


def _edit(path: Path) -> int:
    import subprocess

    from atm_tui.jump.programs import MissingProgramError, make_editor_command
    from atm_tui.settings.config_write import ConfigWriteError, write_new_config
    from atm_tui.view.config_rows import write_template

    try:
        command = make_editor_command(str(path))
        if not can_ask() and not (paths.read_variable("VISUAL") or paths.read_variable("EDITOR")):
            text = f"config: {command[0]} needs a terminal; $EDITOR can name another editor for {path}"
            raise CommandError(text, ExitCode.PROGRAM_FAILED)
        write_new_config(path, write_template())
    except MissingProgramError as error:
        raise CommandError(f"config: {error}", ExitCode.PROGRAM_FAILED) from error
    except ConfigWriteError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error
    try:
        done = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise CommandError(f"{command[0]}: {error.strerror}", ExitCode.PROGRAM_FAILED) from error
    if done:
        raise CommandError(f"{command[0]} ended with exit code {done}", ExitCode.PROGRAM_FAILED)
    return _check(path)


def split_key(given: str) -> tuple[str, ...]:
    """Splits a dotted key, whose parts may be quoted. Raises CommandError for an unknown key."""
    parts = tuple(found[1] or found[2] or found[0] for found in _PART.finditer(given))
    if not parts or parts[0] not in MEANINGS:
        hint = suggest_name(parts[0] if parts else "", MEANINGS, "keys")
        raise CommandError(f'config: unknown key "{given}"{hint}', ExitCode.USAGE)
    return parts


def _change(path: Path, given: str, value: str | None) -> None:
    from atm_tui.settings.config_write import Check, ConfigWriteError, change_config, find_nothing

    key = split_key(given)
    check: Check = find_nothing
    if key[0] in KEYED:
        from atm_tui.screens.custom_commands import find_key_problems

        check = find_key_problems
    try:
        (value or "").encode()
    except UnicodeEncodeError as error:
        raise CommandError(f"config: the value of {given} is not UTF-8", ExitCode.USAGE) from error
    try:
        reading = change_config(path, key, None if value is None else write_as_toml(key, value), check=check)
    except ConfigWriteError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error
    for line in _describe_problems(reading, path):
        write_remark(f"atm-tui: {line}")


def _print_values(path: Path, given: str | None) -> int:
    followed = FollowedConfig(path)
    followed.read()
    rows = list_rows(followed, ThemeFile(paths.find_state_dir()).find_theme(followed.config.theme))
    if given is None:
        write_lines(_write_table(rows))
    else:
        write_line(_find_value(rows, followed, split_key(given)))
    for each in followed.reading.problems:
        write_remark(f"atm-tui: {each.describe(str(path))}")
    return ExitCode.FAILED if followed.reading.problems else ExitCode.DONE


def _find_value(rows: list[ConfigRow], followed: FollowedConfig, key: tuple[str, ...]) -> str:
    if len(key) == 1:
        return next(row.value for row in rows if row.key == key[0])
    value = getattr(followed.config, key[0])
    if key[0] == "keys" and len(key) == 2:
        from atm_tui.keys.table import CommandKeys

        keys = CommandKeys.begin(value)[0].keys_by_id
        if key[1] in keys:
            return format_value(value.get(key[1], list(keys[key[1]])))
    for part in key[1:]:
        if not isinstance(value, dict) or part not in value:
            raise CommandError(f'config: "{".".join(key)}" is not set', ExitCode.FAILED)
        value = value[part]
    return format_value(value)


def _write_table(rows: list[ConfigRow]) -> list[str]:
    keys = max(measure_width(row.key) for row in rows)
    values = min(44, max(measure_width(row.value) for row in rows))
    return [f"{fit_width(row.key, keys)}  {fit_width(row.value, values)}  {row.origin}" for row in rows]
