"""Completes a command line, as the scripts of `atm-tui completion` ask for with each Tab: commands, options, sessions."""

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from argcomplete.completers import DirectoriesCompleter, FilesCompleter, SuppressCompleter
from argcomplete.finders import CompletionFinder

from atm_tui import paths
from atm_tui.cli.arguments import find_command, make_parser
from atm_tui.cli.quick_imports import load_msgspec

if TYPE_CHECKING:
    from atm_tui.model.session import Session

Completions = Mapping[str, str]
"""What can be typed, and a short description of each."""


def print_completions() -> None:
    """Writes the completions of the typed command line to the shell that asked for them, and ends the process."""
    words = (paths.read_variable("COMP_LINE") or "").split()
    chosen = find_command(words[1:])
    if chosen:
        load_msgspec()  # what adds the options of a command needs it
    parser = make_parser(chosen)
    for action in _list_actions(parser):
        if complete := COMPLETERS.get(str(action.metavar)):
            action.completer = complete  # type: ignore[attr-defined]  # where argcomplete looks for it
    CompletionFinder()(parser, always_complete_options="long", default_completer=SuppressCompleter())


def _list_actions(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001  argparse has no other way to list them
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for each in action.choices.values():
                yield from _list_actions(each)


def _read_sessions(args: argparse.Namespace) -> "list[Session]":
    """Reads all sessions, without the transcripts that cost and context come from."""
    from atm_tui.monitor.figures import Counted
    from atm_tui.monitor.read_once import read_sessions

    folders = args.watch or [paths.find_claude_config_dir()]
    return read_sessions(paths.find_state_dir(), folders, Counted.NOTHING)


def _complete_session(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> Completions:
    from atm_tui.view.completions import list_session_completions

    return list_session_completions(_read_sessions(parsed_args), prefix)


def _complete_file_or_session(prefix: str, parsed_args: argparse.Namespace, **_: Any) -> Completions:
    files = dict.fromkeys(FilesCompleter()(prefix), "")
    return {**_complete_session(prefix, parsed_args), **files}


def _complete_project(parsed_args: argparse.Namespace, **_: Any) -> Completions:
    from atm_tui.view.completions import list_project_completions

    return list_project_completions(_read_sessions(parsed_args))


def _complete_event(**_: Any) -> Completions:
    from atm_tui.settings.options import EVENTS

    return {rule.name: rule.why for rule in EVENTS}


def _complete_columns(prefix: str, **_: Any) -> Completions:
    """Completes the last of several columns, separated by commas."""
    from atm_tui.view.status_columns import COLUMNS

    before = prefix[: prefix.rfind(",") + 1]
    return {f"{before}{name}": column.meaning for name, column in COLUMNS.items() if name not in before.split(",")}


def _complete_key(prefix: str, **_: Any) -> Completions:
    """Completes a key of the configuration; after `keys.` and `column_widths.`, a name that can stand there."""
    from atm_tui.config import CHOICES, MEANINGS
    from atm_tui.view.config_rows import strip_markdown

    table, dot, _rest = prefix.partition(".")
    if dot and table == "keys":
        from atm_tui.commands import COMMANDS
        from atm_tui.keys.presets import PRESET

        return {f"keys.{PRESET}": "a set of keys"} | {f"keys.{each.id}": each.help for each in COMMANDS}
    if dot and table == "column_widths":
        return {f"{table}.{name}": "" for name in CHOICES["columns"]}
    return {key: strip_markdown(meaning) for key, meaning in MEANINGS.items()}


def _complete_value(parsed_args: argparse.Namespace, **_: Any) -> Completions:
    from atm_tui.config import MEANINGS, Config
    from atm_tui.keys.presets import PRESET, PRESETS
    from atm_tui.view.config_rows import list_choices, strip_markdown

    if parsed_args.key == f"keys.{PRESET}":
        return {name: strip_markdown(text) for name, (text, _keys) in PRESETS.items()}
    if parsed_args.key not in MEANINGS:
        return {}
    is_switch = isinstance(getattr(Config(), parsed_args.key), bool)
    return dict.fromkeys(("true", "false") if is_switch else list_choices(parsed_args.key), "")


COMPLETERS = {
    "ID": _complete_session,
    "FILE|ID": _complete_file_or_session,
    "FILE": FilesCompleter(),
    "DIR": DirectoriesCompleter(),
    "NAME": _complete_project,
    "EVENT": _complete_event,
    "KEY": _complete_key,
    "VALUE": _complete_value,
    "A,B,…": _complete_columns,
}
"""Completes the values of options and arguments, by what stands for the value in the help. Choices complete by themselves."""
