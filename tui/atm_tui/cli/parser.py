"""The parser of the command line: argparse, with its texts printed through `output`."""

import argparse
import sys
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
