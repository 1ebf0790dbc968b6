"""One install, uninstall or restore as a whole: settings files and the copied hook files, under the lock of our processes."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from atm_tui.settings.apply import Applied, apply, failure, restore
from atm_tui.settings.command import Commands
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.hookfiles import copy_hooks, remove_hooks_copy
from atm_tui.settings.plan import Plan
from atm_tui.settings.receipt import Receipts
from atm_tui.settings.usage import files_in_use

Planner = Callable[[Path, bytes | None], Plan]
"""(settings file, its bytes now) -> the plan for it. Raises SettingsError."""

Clock = Callable[[], datetime]


def carry_out_install(
    plans: list[Plan], planner: Planner, commands: Commands, receipts: Receipts, config_dir: Path, now: Clock
) -> list[Applied]:
    """Copy the hook's files, then write each plan: no settings file ever names what is not there yet.

    Raises SettingsError; files that were written before stay, a copy that nothing uses goes.
    """
    with locked(receipts.folder):
        copied = copy_hooks(commands.hooks, commands.interpreter)
        try:
            return [apply(plan, partial(planner, plan.path), receipts, now) for plan in plans]
        except SettingsError:
            if copied and not files_in_use(receipts, config_dir):
                remove_hooks_copy(commands.hooks)
            raise


def carry_out_uninstall(
    plans: list[Plan], planner: Planner, receipts: Receipts, config_dir: Path, copies: tuple[Path, Path], now: Clock
) -> tuple[list[Applied], list[Path]]:
    """Write each plan, then remove the copies (hook files, plugin) unless a settings file still needs them.

    Returns what was done, and the files that still hold ours. Raises SettingsError.
    """
    with locked(receipts.folder):
        done = [apply(plan, partial(planner, plan.path), receipts, now) for plan in plans if plan.is_needed]
        left = files_in_use(receipts, config_dir)
        if not left:
            hooks, plugin = copies
            remove_hooks_copy(hooks)
            shutil.rmtree(plugin, ignore_errors=True)
        return done, left


def carry_out_restore(path: Path, backup: Path, receipts: Receipts, now: Clock) -> Applied:
    """Put a backup back, with a backup of what is there now. Raises SettingsError."""
    with locked(receipts.folder):
        return restore(path, backup, receipts, now)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One of our processes at a time; it waits for the others, which take less than a second. Raises SettingsError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise failure(folder, error, "write") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
