"""The parser of the command line: argparse, with its texts printed through `output`."""

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

from atm_tui.cli.output import write_help
from atm_tui.text import clean, suggest_name

Choice = TypeVar("Choice", bound=StrEnum)


class Parser(argparse.ArgumentParser):
    """Prints help and errors through `output`; cleans arguments before an error quotes them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.color = False  # Python 3.14 would colour the help with escape sequences
        self.outer: Parser | None = None
        """The parser of what stands before the command, for the parser of a command."""
        self._given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Prints the usage and the error; exits with 2."""
        super().error(clean(message))

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """Parses arguments; exits with 2 on unknown ones, with the usage of the command that they were given to."""
        self._given = args or ()
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            option = unknown[0].partition("=")[0]
            self.error(
                self._explain_option(option) if option.startswith("-") else f'unexpected argument "{unknown[0]}"'
            )
        return found, unknown

    def get_option(self, name: str) -> argparse.Action | None:
        """Returns the option of this name; None if there is none."""
        return self._option_string_actions.get(name)

    def _explain_option(self, option: str) -> str:
        """Returns what is wrong with an option that is not one of this parser's."""
        earlier = self.outer.get_option(option) if self.outer else None
        if self.outer and earlier and earlier.dest != "plain":  # which no command takes
            words = (self.outer.prog, option, *(() if earlier.nargs == 0 else ("…",)), self.prog.split()[-1])
            return f"{option} goes before the command: {' '.join(words)}"
        return f'unknown option "{option}"{suggest_name(option, self._option_string_actions, "options")}'

    def _find_wrong_option(self, command: str) -> str | None:
        """Returns the first unknown option before what was taken for a command, which may be its value; None if there is none."""
        before = self._given[: self._given.index(command)] if command in self._given else ()
        names = (each.partition("=")[0] for each in before if each.startswith("-"))
        return next(
            (each for each in names if not any(known.startswith(each) for known in self._option_string_actions)), None
        )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        if action.nargs == argparse.PARSER:
            if option := self._find_wrong_option(value):
                raise argparse.ArgumentError(None, self._explain_option(option))
            message = f'unknown command "{value}"{suggest_name(value, action.choices, "commands")}'
            raise argparse.ArgumentError(None, message)
        raise argparse.ArgumentError(action, _describe_unknown(value, action.choices))

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            write_help(message, is_error=file is not sys.stdout)


def parse_seconds(given: str) -> float:
    """Returns a number of seconds, at least 0. Raises ArgumentTypeError."""
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not (seconds >= 0 and math.isfinite(seconds)):
        raise argparse.ArgumentTypeError(f"{given}: not a number of seconds")
    return seconds


def parse_duration(given: str, units: Mapping[str, int]) -> float | None:
    """Parses a whole number and a unit, as "30m", to seconds; None for anything else. `units`: the seconds of each letter."""
    digits = given.rstrip("".join(units))
    unit = given[len(digits) :]
    if unit not in units or not (digits.isascii() and digits.isdigit()) or len(digits) > 6:
        return None
    return float(digits) * units[unit]


def add_list_option(
    parser: argparse.ArgumentParser, flag: str, metavar: str, text: str, dest: str | None = None
) -> None:
    """Adds an option that may be given several times; its values are a list, empty by default."""
    parser.add_argument(flag, action="append", default=[], metavar=metavar, help=text, dest=dest)


def add_choice_option(
    parser: argparse.ArgumentParser, flag: str, kind: type[Choice], text: str, **options: Any
) -> None:
    """Adds an option that takes one of the values of an enumeration. `options`: further ones of `add_argument`."""
    parser.add_argument(flag, type=_make_choice_parser(kind), choices=list(kind), help=text, **options)


def _make_choice_parser(kind: type[Choice]) -> Callable[[str], Choice]:
    def parse(given: str) -> Choice:
        try:
            return kind(given)
        except ValueError:
            raise argparse.ArgumentTypeError(_describe_unknown(given, kind)) from None

    return parse


def _describe_unknown(given: str, choices: Iterable[str]) -> str:
    return f'unknown value "{given}"{suggest_name(given, choices, "values")}'
