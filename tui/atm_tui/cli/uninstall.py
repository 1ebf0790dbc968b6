"""`atm-tui uninstall`: ours out of the settings, the copied files away when nothing uses them; backups."""

import argparse
from functools import partial
from pathlib import Path

from atm_tui.settings.backups import backups
from atm_tui.settings.console import complain, confirm, is_terminal, out
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.installer import Installer
from atm_tui.settings.plan import Plan
from atm_tui.settings.targets import add_change_arguments, add_target_arguments, plan_when_stable, report, target_files

LATEST = "latest"


def add_uninstall_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `atm-tui uninstall`."""
    add_target_arguments(parser)
    add_change_arguments(parser)
    parser.add_argument("--list-backups", action="store_true", help="list the settings file's backups, newest first")
    parser.add_argument(
        "--restore",
        nargs="?",
        const=LATEST,
        metavar="BACKUP",
        help="put a backup back instead, byte for byte (default: the newest)",
    )


def run_uninstall(args: argparse.Namespace) -> int:
    """Exit code 0: removed, restored, listed, or nothing to do; 1: refused, failed or declined."""
    try:
        if args.list_backups:
            return _list(args)
        if args.restore is not None:
            return _restore(args)
        return _uninstall(args)
    except SettingsError as error:
        complain(f"atm-tui uninstall: {error}")
        return 1


def _uninstall(args: argparse.Namespace) -> int:
    installer = Installer.here()
    plans = [plan_when_stable(path, partial(installer.plan_uninstall, path)) for path in target_files(args)]
    for plan in plans:
        _show(plan, f"{len(plan.changes)} entries to remove or put back" if plan.is_needed else "nothing of ours in it")
    if args.dry_run:
        return 0
    if any(plan.is_needed for plan in plans) and not args.yes and not _agreed("Write this?"):
        return 1
    done, left = installer.uninstall(plans)
    for applied in done:
        report(applied)
    for path in left:
        out(f"Still installed in {path} (see --scope and --config-dir).")
    if not left:
        out("The copied hook files are removed.")
    return 0


def _list(args: argparse.Namespace) -> int:
    for path in target_files(args):
        found = backups(path)
        out(f"{path}: {len(found)} backups" + (", newest first" if found else ""))
        for each in found:
            out(f"  {each}")
    return 0


def _restore(args: argparse.Namespace) -> int:
    files = target_files(args)
    if len(files) > 1:
        raise SettingsError("--restore puts back one file at a time.\n  Next: give one --config-dir.")
    path, installer = files[0], Installer.here()
    backup = _chosen(path, args.restore)
    plan = installer.plan_restore(path, backup)
    _show(plan, f"to be as in {backup}" if plan.is_needed else f"is as in {backup} already")
    if args.dry_run or not plan.is_needed:
        return 0
    if not args.yes and not _agreed("Restore this?"):
        return 1
    report(installer.restore(plan))
    return 0


def _chosen(path: Path, name: str) -> Path:
    found = backups(path)
    for each in found:
        if name in {LATEST, each.name, str(each)}:
            return each
    raise SettingsError(f"{path}: no such backup.\n  Next: atm-tui uninstall --list-backups shows {len(found)}.")


def _show(plan: Plan, summary: str) -> None:
    out(f"{plan.path}: {summary}")
    if plan.is_needed:
        out(plan.diff())


def _agreed(question: str) -> bool:
    if not is_terminal():
        complain("atm-tui uninstall: nobody can be asked here. Nothing was changed.\n  Next: run it again with --yes.")
        return False
    if confirm(question):
        return True
    out("Nothing was changed.")
    return False
