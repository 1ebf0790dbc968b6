"""Which files Claude Code reads its settings from, by scope, config folder and system."""

import sys
from enum import StrEnum
from pathlib import Path

from atm_tui import paths


class Scope(StrEnum):
    """USER: the config folder's file. PROJECT: shared through the repository. LOCAL: one person's, in the project."""

    USER = "user"
    PROJECT = "project"
    LOCAL = "local"


def settings_file(scope: Scope, config_dir: Path, project: Path) -> Path:
    """The settings file of a scope."""
    if scope is Scope.USER:
        return config_dir / "settings.json"
    return project / ".claude" / ("settings.json" if scope is Scope.PROJECT else "settings.local.json")


def config_dirs(given: list[str]) -> list[Path]:
    """The config folders that were named, each once, else the one that the shell names."""
    if not given:
        return [paths.claude_config_dir()]
    return list(dict.fromkeys(Path(each).expanduser().absolute() for each in given))


def managed_settings() -> Path:
    """The file by which an administrator sets policy; it need not exist."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/managed-settings.json")
    return Path("/etc/claude-code/managed-settings.json")


def hooks_dir() -> Path:
    """Where the copied hook files are; the commands in the settings name it."""
    return paths.data_dir() / "hooks" / "atm_hooks"


def receipts_dir() -> Path:
    """Where install notes what it found in each settings file."""
    return paths.data_dir() / "settings"


def plugin_dir() -> Path:
    """The generated marketplace with our plugin."""
    return paths.data_dir() / "marketplace"
