"""The parser of the command line: argparse, whose own texts are printed as all others are."""

import argparse
import sys
from typing import Any, NoReturn

from atm_tui.cli.output import write_help
from atm_tui.text import clean


class Parser(argparse.ArgumentParser):
    """Help and errors go through `output`; what was given on the command line is cleaned before an error repeats it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.color = False  # Python 3.14 would paint the help with sequences of its own

    def error(self, message: str) -> NoReturn:
        """Prints how the command is used, and what is wrong; exits with 2."""
        super().error(clean(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            write_help(message, is_error=file is not sys.stdout)
