"""Reads the state of the hooks in a config folder."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from atm_tui.settings.command import find_notifier, split_command
from atm_tui.settings.document import Document
from atm_tui.settings.errors import DROPPED_FILE, JsonError, SettingsError
from atm_tui.settings.hook_report import (
    INSTALL,
    MISSING,
    RENEW,
    UPDATE,
    HookReport,
    HookStatus,
    list_deciding_files,
)
from atm_tui.settings.hook_version import describe_age
from atm_tui.settings.hookfiles import find_source_dir, is_same, list_modules
from atm_tui.settings.inspection import Fault, has_flag, inspect
from atm_tui.settings.locations import (
    list_managed_files,
    locate_hooks_dir,
    locate_managed_dir,
    locate_plugin_hooks,
)
from atm_tui.settings.plugin import is_enabled
from atm_tui.settings.read import read_bytes
from atm_tui.settings.validity import Effect, find_faults

ADVICE = {Fault.OLD: RENEW, Fault.NEWER: UPDATE}
"""What to do about the age of the hook alone; about other faults, to install again."""


def read_hooks_status(config_dir: Path, state_dir: Path) -> HookReport:
    """Returns the state of our hooks in a config folder's settings.json, for an app that reads `state_dir`."""
    path = config_dir / "settings.json"
    try:
        data = read_bytes(path)
    except FileNotFoundError:
        return MISSING
    except OSError as error:
        return HookReport(HookStatus.UNREADABLE, f"settings.json can't be read: {error.strerror}. Fix that first.")
    try:
        document = Document(data)
    except JsonError as error:
        return HookReport(HookStatus.UNREADABLE, f"settings.json, {error}; {DROPPED_FILE}.")
    for finding in find_faults(document):
        if finding.effect is Effect.FILE:
            return HookReport(HookStatus.UNREADABLE, f"settings.json, {finding.text}")
    if reason := find_disabling_file(document, list_managed_files(locate_managed_dir())):
        return HookReport(HookStatus.DISABLED, f"{reason}: no hook runs.")
    inspection = inspect(document, state_dir)
    if not inspection.is_installed and is_enabled(data):
        try:
            inspection = inspect(Document(read_bytes(locate_plugin_hooks())), state_dir)
        except (OSError, JsonError):
            return HookReport(HookStatus.STALE, f"The plugin's files are gone. {INSTALL}")
    if not inspection.is_installed:
        return MISSING
    if inspection.faults:
        faults = {fault for fault, _ in inspection.faults}
        if len(faults) == 1 and (advice := ADVICE.get(next(iter(faults)))):
            link = locate_hooks_dir()
            text = f"Hooks: {inspection.faults[0][1]}" if is_same(link) else describe_age(link)
            return HookReport(HookStatus.STALE, f"{text}: {advice}")
        return HookReport(HookStatus.STALE, f"Hooks: {'; '.join(text for _, text in inspection.faults)}. {INSTALL}")
    return HookReport(HookStatus.INSTALLED)


def list_read_files(config_dir: Path, state_dir: Path) -> list[str]:
    """Returns all files and folders on which the state of the hooks depends, also those that do not exist."""
    managed = locate_managed_dir()
    found = [
        *list_deciding_files(config_dir),
        managed,
        managed / "managed-settings.json",
        managed / "managed-settings.d",
    ]
    folders = [locate_hooks_dir()]
    for path in (config_dir / "settings.json", locate_plugin_hooks()):
        try:
            commands = inspect(Document(read_bytes(path)), state_dir).commands
        except (OSError, JsonError):
            continue
        for command in commands:
            if (known := split_command(command)) is not None:
                found += known[:2]
                folders.append(known[1].parent)
            if (notifier := find_notifier(command)) is not None:
                found.append(notifier)
    with suppress(SettingsError):
        folders.append(find_source_dir())
    for folder in dict.fromkeys(folders):
        found.append(folder)
        with suppress(OSError):
            found += list_modules(folder)
    return list(dict.fromkeys(map(str, found)))


def find_disabling_file(document: Document, managed: Sequence[Path]) -> str | None:
    """Returns the setting that disables all hooks, or ours; None if none does. `managed`: an administrator's files."""
    if has_flag(document, "disableAllHooks"):
        return "disableAllHooks is true in settings.json"
    for path in managed:
        try:
            policy = Document(read_bytes(path))
        except (OSError, JsonError):
            continue
        for name in ("disableAllHooks", "allowManagedHooksOnly"):
            if has_flag(policy, name):
                return f"{name} is true in {path}, which an administrator manages"
    return None
