"""The options that install, uninstall and doctor share, and the settings files that they name."""

import argparse
from pathlib import Path

from atm_tui.cli.output import write_line
from atm_tui.settings.apply import Applied
from atm_tui.settings.locations import Scope, list_config_dirs, locate_settings_file


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds --scope and --config-dir."""
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
    """Adds --dry-run and --yes."""
    parser.add_argument("--dry-run", action="store_true", help="print the diff and change nothing")
    parser.add_argument("--yes", action="store_true", help="don't ask")


def list_target_files(args: argparse.Namespace) -> list[Path]:
    """Returns the settings files that the options name."""
    project = Path.cwd()
    return list(
        dict.fromkeys(locate_settings_file(args.scope, folder, project) for folder in list_config_dirs(args.config_dir))
    )


def report_change(applied: Applied) -> None:
    """Prints what was written, and where its backup is."""
    write_line(f"{applied.plan.path}: {'removed' if applied.plan.after is None else 'written and checked'}")
    if applied.backup is not None:
        write_line(f"  backup: {applied.backup}")
    for note in applied.notes:
        write_line(f"  note: {note}")
