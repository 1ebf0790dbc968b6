"""Generates a Claude Code plugin with the same hooks in the data folder; the user enables it."""

import json
from pathlib import Path

from atm_hooks.journal import make_folder
from atm_tui.settings.command import Commands
from atm_tui.settings.document import Document
from atm_tui.settings.errors import JsonError, SettingsError
from atm_tui.settings.locations import HOOKS_FILE
from atm_tui.settings.options import Options

NAME = "atm-tui"


def make_plugin_files(options: Options, commands: Commands, version: str) -> dict[str, str]:
    """Returns relative path -> text: a marketplace of one, the plugin's manifest and its hooks."""
    owner = {"name": NAME}
    hooks = {rule.name: [{"hooks": [options.make_handler(rule, commands)]}] for rule in options.list_rules()}
    about = "Tells atm-tui what each session does. It prints nothing and changes nothing."
    if options.answers:
        about = "Tells atm-tui what each session does, and lets you answer permission requests there."
    contents: dict[str, object] = {
        ".claude-plugin/marketplace.json": {
            "name": NAME,
            "owner": owner,
            "plugins": [{"name": NAME, "source": "./plugin", "description": about}],
        },
        "plugin/.claude-plugin/plugin.json": {"name": NAME, "version": version, "description": about, "author": owner},
        HOOKS_FILE: {"description": about, "hooks": hooks},
    }
    return {path: json.dumps(content, indent=2, ensure_ascii=False) + "\n" for path, content in contents.items()}


def write_plugin(folder: Path, files: dict[str, str]) -> None:
    """Writes the plugin's files, each atomically. Raises SettingsError."""
    try:
        for name, text in files.items():
            path = folder / name
            make_folder(str(path.parent))
            new = path.with_name(path.name + ".new")
            new.touch(mode=0o600)
            new.write_text(text, encoding="utf-8")
            new.replace(path)
    except OSError as error:
        raise SettingsError(f"{folder}: can't write the plugin: {error.strerror}.\n  Next: set ATM_DATA_DIR.") from None


def describe_next_steps(folder: Path) -> str:
    """Returns what the user types in Claude Code to enable it."""
    return f"In Claude Code: /plugin marketplace add {folder}\n               /plugin install {NAME}@{NAME}"


def is_enabled(settings: bytes | None) -> bool:
    """Returns whether settings enable our plugin; False if they can't be parsed."""
    if settings is None:
        return False
    try:
        enabled = Document(settings).root.get("enabledPlugins")
    except JsonError:
        return False
    items = enabled.items if enabled is not None and enabled.kind == "object" else []
    return any(item.name.split("@")[0] == NAME and item.value.raw == "true" for item in items)
