"""The parser of the command line: argparse, with its texts printed through `output`."""

import argparse
import math
import sys
from enum import StrEnum
from typing import Any, NoReturn

from atm_tui.cli.output import write_help
from atm_tui.text import clean


class Parser(argparse.ArgumentParser):
    """Prints help and errors through `output`; cleans arguments before an error quotes them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.color = False  # Python 3.14 would colour the help with escape sequences

    def error(self, message: str) -> NoReturn:
        """Prints the usage and the error; exits with 2."""
        super().error(clean(message))

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


def add_list_option(
    parser: argparse.ArgumentParser, flag: str, metavar: str, text: str, dest: str | None = None
) -> None:
    """Adds an option that may be given several times; its values are a list, empty by default."""
    parser.add_argument(flag, action="append", default=[], metavar=metavar, help=text, dest=dest)


def add_choice_option(parser: argparse.ArgumentParser, flag: str, default: StrEnum, text: str) -> None:
    """Adds an option that takes one of the values of an enumeration."""
    kind = type(default)
    parser.add_argument(flag, type=kind, choices=list(kind), default=default, help=text)
