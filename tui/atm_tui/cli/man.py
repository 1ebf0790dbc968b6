"""`atm-tui man`: shows the man page, also where `man` does not find it, as in an environment of `uv tool`."""

import argparse
from pathlib import Path

from atm_hooks.regular_file import read_regular
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line, write_text

PAGE = Path("share/man/man1/atm-tui.1")
"""Where the page is in the repository, and below the folder of an installation."""
LARGEST = 1 << 20
"""Bytes."""


def add_man_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the option of `man`."""
    parser.add_argument("--path", action="store_true", help="print where the page is")


def run_man(args: argparse.Namespace) -> int:
    """Opens the page in `man`; prints its source where stdout is no terminal. Raises CommandError."""
    import shutil

    from atm_tui.cli.terminal import can_show_screen, replace_process

    page = _find_page()
    if args.path:
        write_line(str(page))
        return ExitCode.DONE
    if can_show_screen():
        if shutil.which("man") is None:
            raise CommandError(f"man is not on the PATH. The page is {page}", ExitCode.PROGRAM_FAILED)
        replace_process(("man", str(page)))
    write_text(read_regular(str(page), LARGEST).decode().rstrip("\n"))
    return ExitCode.DONE


def _find_page() -> Path:
    """Returns the page of this installation, else that of the repository. Raises CommandError if there is none."""
    import os
    from importlib.metadata import PackageNotFoundError, files

    from atm_tui.sources.exists import exists

    try:
        installed = [Path(os.path.realpath(each.locate())) for each in files("atm-tui") or () if each.name == PAGE.name]
    except PackageNotFoundError:
        installed = []
    for page in (*installed, Path(__file__).absolute().parents[3] / PAGE):
        if exists(page):
            return page
    raise CommandError("this installation has no man page; `atm-tui --help` lists all commands.", ExitCode.FAILED)
