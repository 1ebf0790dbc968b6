"""`atm-tui uninstall`: removes our entries from settings files and our copied files; lists and restores backups."""

import argparse
from functools import partial
from pathlib import Path

from atm_tui.cli.command_error import CommandError
from atm_tui.cli.exit_codes import ExitCode
from atm_tui.cli.output import write_line
from atm_tui.cli.targets import (
    add_change_arguments,
    add_target_arguments,
    confirm_change,
    list_target_files,
    print_diff,
    report_change,
)
from atm_tui.settings.apply import plan_when_stable
from atm_tui.settings.backups import list_backups
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.installer import Installer
from atm_tui.settings.plan import Plan

LATEST = "latest"


def add_uninstall_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `uninstall`."""
    add_target_arguments(parser)
    add_change_arguments(parser)
    parser.add_argument("--list-backups", action="store_true", help="list the settings file's backups, newest first")
    parser.add_argument(
        "--purge",
        action="store_true",
        help="also remove all that atm-tui stored, and what it added to tmux's configuration",
    )
    parser.add_argument("--backups", action="store_true", help="with --purge: the backups of settings files as well")
    parser.add_argument(
        "--restore",
        nargs="?",
        const=LATEST,
        metavar="BACKUP",
        help="put back a backup, byte for byte (default: the newest)",
    )


def run_uninstall(args: argparse.Namespace) -> int:
    """Removes, restores or lists; returns the exit code. Raises CommandError if it is refused or fails."""
    try:
        if args.list_backups:
            return _list_backups(args)
        if args.restore is not None:
            return _restore(args)
        return _uninstall(args)
    except SettingsError as error:
        raise CommandError(str(error), ExitCode.FAILED) from error


def _uninstall(args: argparse.Namespace) -> int:
    installer = Installer.create()
    plans = [plan_when_stable(path, partial(installer.plan_uninstall, path)) for path in list_target_files(args)]
    for plan in plans:
        summary = f"{len(plan.changes)} entries to remove or put back" if plan.is_needed else "nothing of ours in it"
        _show(plan, summary, args)
    if args.dry_run:
        return ExitCode.DONE
    if any(plan.is_needed for plan in plans) and not args.yes and not confirm_change("Write this?"):
        return ExitCode.DECLINED
    done, left = installer.uninstall(plans)
    for applied in done:
        report_change(applied)
    for path in left:
        write_line(f"Still installed in {path} (see --scope and --config-dir).")
    if left and args.purge:
        raise CommandError("nothing was purged, since it is still installed.", ExitCode.FAILED)
    if not left:
        write_line("The copied hook files are removed.")
    return _purge(args) if args.purge else ExitCode.DONE


def _purge(args: argparse.Namespace) -> int:
    from atm_tui.cli.purge import purge_all
    from atm_tui.cli.tmux_conf import remove_from_tmux_conf

    remove_from_tmux_conf()
    return purge_all(args)


def _list_backups(args: argparse.Namespace) -> int:
    for path in list_target_files(args):
        found = list_backups(path)
        write_line(f"{path}: {len(found)} backups" + (", newest first" if found else ""))
        for each in found:
            write_line(f"  {each}")
    return ExitCode.DONE


def _restore(args: argparse.Namespace) -> int:
    files = list_target_files(args)
    if len(files) > 1:
        raise SettingsError("--restore puts back one file at a time.\n  Next: give one --config-dir.")
    path, installer = files[0], Installer.create()
    backup = _choose_backup(path, args.restore)
    plan = installer.plan_restore(path, backup)
    _show(plan, f"will be as in {backup}" if plan.is_needed else f"is already as in {backup}", args)
    if args.dry_run or not plan.is_needed:
        return ExitCode.DONE
    if not args.yes and not confirm_change("Restore this?"):
        return ExitCode.DECLINED
    report_change(installer.restore(plan))
    return ExitCode.DONE


def _choose_backup(path: Path, name: str) -> Path:
    found = list_backups(path)
    for each in found:
        if name in {LATEST, each.name, str(each)}:
            return each
    raise SettingsError(f"{path}: no such backup.\n  Next: atm-tui uninstall --list-backups shows {len(found)}.")


def _show(plan: Plan, summary: str, args: argparse.Namespace) -> None:
    write_line(f"{plan.path}: {summary}")
    print_diff(plan, args)
