"""Finds out whether answering is switched on in a config folder."""

from pathlib import Path

from atm_tui.settings.command import ANSWERS
from atm_tui.settings.document import Document
from atm_tui.settings.editing import find_our_handlers
from atm_tui.settings.errors import JsonError
from atm_tui.settings.locations import locate_plugin_hooks
from atm_tui.settings.options import ANSWER_EVENT
from atm_tui.settings.plugin import is_enabled
from atm_tui.settings.read import read_bytes


def accepts_answers(config_dir: Path) -> bool:
    """Returns whether one of our hooks there waits for answers; False also for unreadable settings."""
    settings = config_dir / "settings.json"
    if _has_answering_hook(settings):
        return True
    try:
        return _has_answering_hook(locate_plugin_hooks()) and is_enabled(read_bytes(settings))
    except OSError:
        return False


def _has_answering_hook(path: Path) -> bool:
    try:
        return has_answering_hook(Document(read_bytes(path)))
    except (OSError, JsonError):
        return False


def has_answering_hook(document: Document) -> bool:
    """Returns whether one of our hooks in a document (settings, or the plugin's hooks.json) waits for answers."""
    hooks = document.root.get("hooks")
    found = find_our_handlers(hooks) if hooks is not None else ()
    commands = (each.item.value.get_string("command") for each in found if each.event.name == ANSWER_EVENT)
    return any(is_answering_command(command or "") for command in commands)


def is_answering_command(command: str) -> bool:
    """Returns whether one of our commands waits for answers."""
    return ANSWERS in command.split()
