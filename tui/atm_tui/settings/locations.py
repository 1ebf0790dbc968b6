"""Locates the settings files of Claude Code, by scope, config folder and system."""

import sys
from enum import StrEnum
from pathlib import Path

from atm_tui import paths
from atm_tui.sources.exists import exists, list_folder

HOOKS_FILE = "plugin/hooks/hooks.json"
"""The hooks of our plugin, in its folder."""


class Scope(StrEnum):
    """USER: the config folder's file. PROJECT: shared through the repository. LOCAL: personal, in the project."""

    USER = "user"
    PROJECT = "project"
    LOCAL = "local"


def locate_settings_file(scope: Scope, config_dir: Path, project: Path) -> Path:
    """Returns the settings file of a scope."""
    if scope is Scope.USER:
        return config_dir / "settings.json"
    return project / ".claude" / ("settings.json" if scope is Scope.PROJECT else "settings.local.json")


def list_config_dirs(given: list[str]) -> list[Path]:
    """Returns the given config folders, each once, else the shell's own."""
    if not given:
        return [paths.find_claude_config_dir()]
    return list(dict.fromkeys(paths.make_absolute(each) for each in given))


def locate_managed_dir() -> Path:
    """Returns the folder of an administrator's policy; it may not exist."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode")
    return Path("/etc/claude-code")


def list_managed_files(folder: Path) -> list[Path]:
    """Returns the existing policy files: managed-settings.json, then those of managed-settings.d by name."""
    drop_ins = list_folder(folder / "managed-settings.d", "*.json")
    return [path for path in (folder / "managed-settings.json", *drop_ins) if exists(path)]


def locate_hooks_dir() -> Path:
    """Returns the folder of the copied hook files, which the commands in the settings refer to."""
    return paths.find_data_dir() / "hooks" / "atm_hooks"


def locate_receipts_dir() -> Path:
    """Returns the folder of the receipts."""
    return paths.find_data_dir() / "settings"


def locate_plugin_dir() -> Path:
    """Returns the folder of the generated marketplace with our plugin."""
    return paths.find_data_dir() / "marketplace"


def locate_plugin_hooks() -> Path:
    """Returns the file with the hooks of our plugin."""
    return locate_plugin_dir() / HOOKS_FILE


def list_shared_folders() -> list[Path]:
    """Returns the folders below the home that are made for ours and shared with other programs, inner ones first."""
    home = paths.find_home()
    ours = (paths.find_state_dir(), paths.find_data_dir(), paths.find_cache_dir())
    usual = (home / ".local/state", home / ".local/share", home / ".cache")
    found = [folder for folder in usual if any(each.parent == folder for each in ours)]
    return [*found, home / ".local"] if found else []
