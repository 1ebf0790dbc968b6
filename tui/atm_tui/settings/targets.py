"""The arguments that install, uninstall and doctor share, and the settings files that they name."""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from atm_tui.settings.apply import Applied, read_settings
from atm_tui.settings.console import out
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.locations import Scope, config_dirs, settings_file
from atm_tui.settings.plan import Plan

SETTLE = 0.15
"""Seconds between two looks at a file that does not parse: another program may be in the middle of writing it."""


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    """--scope and --config-dir."""
    parser.add_argument(
        "--scope",
        type=Scope,
        choices=list(Scope),
        default=Scope.USER,
        help="user: all projects (default); project: this folder, shared with others; local: this folder, only you",
    )
    parser.add_argument(
        "--config-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="a config folder of Claude Code; may be given more than once (default: $CLAUDE_CONFIG_DIR or ~/.claude)",
    )


def add_change_arguments(parser: argparse.ArgumentParser) -> None:
    """--dry-run and --yes."""
    parser.add_argument("--dry-run", action="store_true", help="print the diff and change nothing")
    parser.add_argument("--yes", action="store_true", help="don't ask")


def target_files(args: argparse.Namespace) -> list[Path]:
    """The settings files that the arguments name."""
    project = Path.cwd()
    return list(dict.fromkeys(settings_file(args.scope, folder, project) for folder in config_dirs(args.config_dir)))


def plan_when_stable(path: Path, plan: Callable[[bytes | None], Plan]) -> Plan:
    """Plan on a file that holds still: a refusal counts only when the bytes were the same a moment later.

    Raises SettingsError.
    """
    before = read_settings(path)
    for _ in range(20):
        try:
            return plan(before)
        except SettingsError:
            time.sleep(SETTLE)
            again = read_settings(path)
            if again == before:
                raise
            before = again
    raise SettingsError(f"{path}: another program keeps writing it. Nothing was changed.\n  Next: try again.")


def report(applied: Applied) -> None:
    """Say what was written, and where the text from before is."""
    out(f"{applied.plan.path}: {'removed' if applied.plan.after is None else 'written and checked'}")
    if applied.backup is not None:
        out(f"  backup: {applied.backup}")
    for note in applied.notes:
        out(f"  note: {note}")
