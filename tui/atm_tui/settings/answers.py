"""Is answering switched on in a config folder? Cheap enough to be asked every second."""

from functools import lru_cache
from pathlib import Path

from atm_tui.settings.document import Document
from atm_tui.settings.editing import our_handlers
from atm_tui.settings.errors import JsonError
from atm_tui.settings.locations import plugin_dir
from atm_tui.settings.plugin import HOOKS_FILE, is_enabled

FLAG = "--answers"
"""What the command of our PermissionRequest handler ends with where it waits for answers."""


def takes_answers(config_dir: Path) -> bool:
    """Whether a hook of ours there waits for answers; False also for settings that can't be read."""
    settings, plugin = config_dir / "settings.json", plugin_dir() / HOOKS_FILE
    if _has_flag(settings, _stamp(settings)):
        return True
    try:
        return _has_flag(plugin, _stamp(plugin)) and is_enabled(settings.read_bytes())
    except OSError:
        return False


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=32)
def _has_flag(path: Path, _stamp: tuple[int, int, int] | None) -> bool:
    try:
        hooks = Document(path.read_bytes()).root.get("hooks")
    except (OSError, JsonError):
        return False
    if hooks is None:
        return False
    commands = (
        each.item.value.string("command") for each in our_handlers(hooks) if each.event.name == "PermissionRequest"
    )
    return any(FLAG in (command or "").split() for command in commands)
