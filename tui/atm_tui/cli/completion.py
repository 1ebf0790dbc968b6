"""`atm-tui completion`: prints the script with which a shell completes the command line of atm-tui."""

import argparse

from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_text

SHELLS = ("bash", "zsh", "fish")


def add_completion_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the argument of `completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to print the script for")


def run_completion(args: argparse.Namespace) -> int:
    """Prints the script; returns the exit code."""
    from argcomplete.shell_integration import shellcode

    write_text(shellcode(["atm-tui"], shell=args.shell).strip("\n"))
    return ExitCode.DONE
