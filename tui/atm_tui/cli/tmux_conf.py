"""`atm-tui tmux-conf`: prints a tmux configuration, or adds it to the user's file and removes it again."""

import argparse
import shlex
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from atm_tui import paths
from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line, write_text
from atm_tui.settings.apply import apply, plan_when_stable
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.installer import Installer, hold_lock, read_local_time
from atm_tui.settings.plan import Plan
from atm_tui.settings.tmux_conf import choose_tmux_file, make_tmux_conf, plan_install, plan_uninstall

PROGRAM = "atm-tui"


def add_tmux_conf_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `tmux-conf`."""
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--install", action="store_true", help="add it to your tmux configuration, between two markers")
    action.add_argument("--uninstall", action="store_true", help="remove it there, and nothing else")
    parser.add_argument("--file", metavar="FILE", help="that configuration (default: ~/.tmux.conf or tmux/tmux.conf)")
    parser.add_argument("--dry-run", action="store_true", help="print the diff and change nothing")


def run_tmux_conf(args: argparse.Namespace) -> int:
    """Prints, adds or removes the configuration; returns the exit code."""
    text = make_tmux_conf(_find_program())
    if not args.install and not args.uninstall:
        write_text(text.rstrip("\n"))
        return ExitCode.DONE
    path = paths.make_absolute(args.file) if args.file else find_tmux_file()

    def plan(before: bytes | None) -> Plan:
        return plan_install(path, before, text) if args.install else plan_uninstall(path, before)

    try:
        _apply(path, plan_when_stable(path, plan), plan, args)
    except SettingsError as error:
        raise CommandError(str(error), ExitCode.FAILED) from None
    return ExitCode.DONE


def remove_from_tmux_conf() -> None:
    """Removes what `--install` added to the user's tmux configuration, if it did. Raises CommandError."""
    path = find_tmux_file()
    plan = partial(plan_uninstall, path)
    try:
        if (planned := plan_when_stable(path, plan)).is_needed:
            _write(planned, plan)
            write_line(f"{path}: our lines are removed")
    except SettingsError as error:
        raise CommandError(str(error), ExitCode.FAILED) from None


def find_tmux_file() -> Path:
    """Returns the user's tmux configuration, also where there is none yet."""
    home = paths.find_home()
    return choose_tmux_file(home, Path(paths.read_variable("XDG_CONFIG_HOME") or home / ".config"))


def _apply(path: Path, planned: Plan, plan: Callable[[bytes | None], Plan], args: argparse.Namespace) -> None:
    if not planned.is_needed:
        write_line(f"{path}: nothing to do")
        return
    if args.dry_run:
        write_text(planned.make_diff().rstrip("\n"))
        return
    _write(planned, plan)
    write_line(f"{path}: {'added' if args.install else 'removed'}")
    if args.install:
        write_line(f"  Next: tmux source-file {path}; the icons also need the hooks with `atm-tui install --tmux`")


def _write(planned: Plan, plan: Callable[[bytes | None], Plan]) -> None:
    receipts = Installer.create().receipts
    with hold_lock(receipts.folder):
        apply(planned, plan, receipts, read_local_time)


def _find_program() -> str:
    """Returns the name of this program where the shell finds it, else its path if that needs no quotes in a configuration."""
    path = str(Path(sys.argv[0]).absolute())
    return PROGRAM if shutil.which(PROGRAM) or shlex.quote(path) != path else path
