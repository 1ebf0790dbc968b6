"""Installs, uninstalls, restores and undoes: settings files together with the copied hook files, under a lock."""

import fcntl
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import atm_tui
from atm_hooks.journal import make_folder
from atm_tui import paths
from atm_tui.settings.answering import has_answering_hook
from atm_tui.settings.apply import Applied, apply, describe_failure, read_settings
from atm_tui.settings.command import Commands, find_interpreter, find_python
from atm_tui.settings.document import Document
from atm_tui.settings.errors import JsonError, SettingsError
from atm_tui.settings.files_in_use import contains_our_entries, list_files_in_use
from atm_tui.settings.hook_version import needs_renewal
from atm_tui.settings.hookfiles import copy_hooks, is_current, remove_hooks_copy
from atm_tui.settings.installed import has_our_statusline, read_options
from atm_tui.settings.locations import HOOKS_FILE, locate_hooks_dir, locate_plugin_dir, locate_receipts_dir
from atm_tui.settings.options import Options, Route
from atm_tui.settings.ownership import give_to_owner
from atm_tui.settings.plan import Plan, plan_install, plan_uninstall
from atm_tui.settings.plugin import is_enabled, make_plugin_files, write_plugin
from atm_tui.settings.receipt import Receipts

Planner = Callable[[Path, bytes | None], Plan]
"""(settings file, its bytes now) -> the plan for it. Raises SettingsError."""


def read_local_time() -> datetime:
    """Local time, for the names of backups."""
    return datetime.now().astimezone()


@dataclass(frozen=True)
class Installer:
    """The installer of this machine. `config_dir`: the shell's own; `plugin`: the generated marketplace; `now`: names backups."""

    commands: Commands
    receipts: Receipts
    config_dir: Path
    plugin: Path
    now: Callable[[], datetime] = read_local_time

    @classmethod
    def create(cls) -> "Installer":
        """Creates the installer for this environment."""
        commands = Commands(
            find_interpreter(), locate_hooks_dir(), paths.find_state_dir(), config=paths.find_config_file().absolute()
        )
        return cls(commands, Receipts(locate_receipts_dir()), paths.find_claude_config_dir(), locate_plugin_dir())

    # Plans: nothing is written

    def make_planner(self, options: Options, shared: Collection[Path] = ()) -> Planner:
        """Returns the function that plans an install. `shared`: the files that other people get through a project."""
        commands = self._make_commands(options)

        def plan(path: Path, before: bytes | None) -> Plan:
            chosen = options.adapt_to_shared_file() if path in shared else options
            return plan_install(path, before, chosen, commands, self.receipts.load(path))

        return plan

    def make_renewer(self) -> Planner:
        """Returns the function that plans to install again with the options of what is installed; where nothing is, no change."""

        def plan(path: Path, before: bytes | None) -> Plan:
            receipt = self.receipts.load(path)
            if before is None or (options := self.read_options(before)) is None:
                return Plan(path, before, before, (), (), receipt)
            return plan_install(path, before, options, self._make_commands(options), receipt)

        return plan

    def read_options(self, data: bytes | None) -> Options | None:
        """Returns the options with which the hooks in a settings file, or in the plugin that it enables, were installed."""
        try:
            found = read_options(Document(data)) if data is not None else None
            if found is None and data is not None and is_enabled(data):
                plugin = read_settings(self.plugin / HOOKS_FILE)
                found = read_options(Document(plugin)) if plugin is not None else None
                return found and replace(
                    found, route=Route.PLUGIN, statusline=None if has_our_statusline(Document(data)) else False
                )
        except JsonError:
            return None
        return found

    def find_options(self, files: Iterable[Path]) -> Options:
        """Returns the options of the first of these files that has our hooks; without any, the usual ones."""
        for path in files:
            with suppress(SettingsError):  # whoever changes the file says so
                if (found := self.read_options(read_settings(path))) is not None:
                    return found
        return Options()

    def list_files_in_use(self) -> list[Path]:
        """Returns the settings files with our entries."""
        return list_files_in_use(self.receipts, self.config_dir)

    def plan_uninstall(self, path: Path, before: bytes | None) -> Plan:
        """Plans to remove our entries. Raises SettingsError."""
        return plan_uninstall(path, before, self.receipts.load(path))

    def plan_restore(self, path: Path, backup: Path) -> Plan:
        """Plans to replace a file by a backup. Raises SettingsError if either can't be read."""
        data = read_settings(backup)
        if data is None:
            raise SettingsError(f"{backup}: there is no such backup.\n  Next: atm-tui uninstall --list-backups")
        return Plan(path, read_settings(path), data, (), (), self.receipts.load(path))

    def is_current(self) -> bool:
        """Returns whether the copied hook files are those of this version."""
        return is_current(self.commands.hooks)

    def needs_renewal(self) -> bool:
        """Returns whether hooks are installed whose files are older than this version, or changed."""
        return needs_renewal(self.commands.hooks) and bool(self.list_files_in_use())

    # Writes

    def install(self, plans: Collection[Plan], planner: Planner, options: Options) -> list[Applied]:
        """Copies the hook's files, then writes each plan, so that no settings file names a missing file.

        Raises SettingsError; files that were already written stay, an unused copy is removed.
        """
        with hold_lock(self.receipts.folder):
            copied = self._copy_hooks()
            try:
                done = [
                    apply(plan, partial(planner, plan.path), self.receipts, self.now)
                    for plan in plans
                    if plan.is_needed
                ]
            except SettingsError:
                if copied:
                    self._remove_unused()
                raise
        if options.route is Route.PLUGIN:
            if options.answers is None:
                before = [*(plan.before for plan in plans), read_settings(self.plugin / HOOKS_FILE)]
                options = replace(options, answers=any(map(_is_waiting, before)))
            write_plugin(self.plugin, make_plugin_files(options, self._make_commands(options), atm_tui.__version__))
        return self._give_to_owner(done)

    def uninstall(self, plans: Collection[Plan]) -> tuple[list[Applied], list[Path]]:
        """Writes each plan, then removes the copies (hook files, plugin) unless a settings file still needs them.

        Returns what was done, and the files that still have our entries. Raises SettingsError.
        """
        with hold_lock(self.receipts.folder):
            needed = [plan for plan in plans if plan.is_needed]
            done = [apply(plan, partial(self.plan_uninstall, plan.path), self.receipts, self.now) for plan in needed]
            return self._give_to_owner(done), self._remove_unused()

    def restore(self, plan: Plan) -> Applied:
        """Restores a backup, after a backup of the current file. Raises SettingsError."""

        def replan(current: bytes | None) -> Plan:
            return replace(plan, before=current)

        with hold_lock(self.receipts.folder):
            self._copy_hooks_for(plan.after)
            applied = apply(plan, replan, self.receipts, self.now)
            self._remove_unused()
            return self._give_to_owner([applied])[0]

    def undo(self, done: Collection[Applied]) -> list[Applied]:
        """Restores the previous bytes of each file; from one that changed since, only our entries are removed.

        Raises SettingsError if a change would be lost: where the file had entries of ours before.
        """
        with hold_lock(self.receipts.folder):
            undone = [self._undo(applied) for applied in done if applied.plan.is_needed]
            self._remove_unused()
            return self._give_to_owner(undone)

    def _undo(self, applied: Applied) -> Applied:
        plan, path = applied.plan, applied.plan.path
        came_new = plan.receipt is not None and applied.earlier is None

        def replan(current: bytes | None) -> Plan:
            if came_new:
                return self.plan_uninstall(path, current)
            raise SettingsError(
                f"{path}: it was changed since. Nothing was changed now.\n"
                f"  Next: look at it; the text from before is in {applied.backup}."
            )

        self._copy_hooks_for(plan.before)
        back = Plan(path, plan.after, plan.before, (), (), applied.earlier)
        return apply(back, replan, self.receipts, self.now)

    def _give_to_owner(self, done: list[Applied]) -> list[Applied]:
        """Gives files that root wrote into another user's home to that user; adds a note then."""
        written = [path for each in done for path in (each.plan.path, each.backup) if path is not None]
        note = give_to_owner([*written, self.receipts.folder, self.commands.hooks.parent, self.plugin])
        return [replace(each, notes=(*each.notes, note)) for each in done] if note else done

    def _make_commands(self, options: Options) -> Commands:
        return replace(self.commands, tmux=options.tmux, notifier=find_python() if options.notify else None)

    def _copy_hooks(self) -> bool:
        return copy_hooks(self.commands.hooks, self.commands.interpreter)

    def _copy_hooks_for(self, data: bytes | None) -> None:
        """Copies the hook files if `data` refers to them."""
        if data is not None and contains_our_entries(data):
            self._copy_hooks()

    def _remove_unused(self) -> list[Path]:
        """Removes the copies unless settings files need them; returns those files."""
        left = list_files_in_use(self.receipts, self.config_dir)
        if not left:
            remove_hooks_copy(self.commands.hooks)
            shutil.rmtree(self.plugin, ignore_errors=True)
        return left


def _is_waiting(data: bytes | None) -> bool:
    """Returns whether one of our hooks there waits for answers."""
    try:
        return data is not None and has_answering_hook(Document(data))
    except JsonError:
        return False


@contextmanager
def hold_lock(folder: Path) -> Iterator[None]:
    """Holds the lock of our processes; waits for others, which take less than a second. Raises SettingsError."""
    try:
        make_folder(str(folder))
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise describe_failure(folder, error, "write") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
