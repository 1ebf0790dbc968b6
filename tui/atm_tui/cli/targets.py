"""What install, uninstall, purge and doctor share: options, the settings files that they name, and the question before a change."""

import argparse
from pathlib import Path

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.messages import describe_missing_prompt
from atm_tui.cli.output import write_line, write_text
from atm_tui.cli.parser import add_choice_option, add_list_option
from atm_tui.cli.terminal import can_ask, confirm
from atm_tui.settings.apply import Applied
from atm_tui.settings.locations import Scope, list_config_dirs, locate_settings_file
from atm_tui.settings.plan import Plan
from atm_tui.view.folded_diff import fold_alike


def add_target_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds --scope and --config-dir."""
    add_choice_option(
        parser,
        "--scope",
        Scope,
        "user: all projects (default); project: this folder, shared with others; local: this folder, only you",
        default=Scope.USER,
    )
    add_config_dir_option(parser, "$CLAUDE_CONFIG_DIR or ~/.claude")


def add_config_dir_option(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds --config-dir; `default`: the folders without it, in words."""
    text = f"a config folder of Claude Code; may be given more than once (default: {default})"
    add_list_option(parser, "--config-dir", "DIR", text)


def add_change_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds --dry-run, --details and --yes."""
    parser.add_argument("--dry-run", action="store_true", help="print the diff and change nothing")
    parser.add_argument("--details", action="store_true", help="print all lines of the diff: what repeats unfolded")
    parser.add_argument("--yes", action="store_true", help="don't ask")


def confirm_change(
    question: str, unchanged: str = "nothing was changed", option: str = "--yes goes on without asking"
) -> bool:
    """Asks before anything is changed; returns whether to go on, and says `unchanged` if not.

    `option`: the option that replaces the answer, and what it does. Raises CommandError without a terminal.
    """
    if not can_ask():
        raise CommandError(describe_missing_prompt(f"{unchanged}. {option}."), ExitCode.USAGE)
    if confirm(question, default=False):
        return True
    write_line(f"{unchanged.capitalize()}.")
    return False


def list_target_files(args: argparse.Namespace) -> list[Path]:
    """Returns the settings files that the options name."""
    project = Path.cwd()
    return list(
        dict.fromkeys(locate_settings_file(args.scope, folder, project) for folder in list_config_dirs(args.config_dir))
    )


def print_diff(plan: Plan, args: argparse.Namespace) -> None:
    """Prints what a plan would change, if anything."""
    if plan.is_needed:
        diff = plan.make_diff()
        write_text(diff if args.details else "\n".join(fold_alike(diff.split("\n"))))


def report_change(applied: Applied) -> None:
    """Prints what was written, and where its backup is."""
    write_line(f"{applied.plan.path}: {'removed' if applied.plan.after is None else 'written and checked'}")
    if applied.backup is not None:
        write_line(f"  backup: {applied.backup}")
    for note in applied.notes:
        write_line(f"  note: {note}")
