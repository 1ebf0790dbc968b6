"""Reports the state of the hooks in a config folder. Imports the installer only if there are settings to read."""

from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import msgspec

from atm_tui.settings.read import read_bytes
from atm_tui.sources.exists import exists, is_link

Stamp = tuple[int, int, int] | None
"""(inode, modification time in ns, size) of a file; None when it does not exist."""
INSTALL = "Press i, or run `atm-tui install`."
RENEW = "press i to renew it, or run `atm-tui install --renew`."
UPDATE = "update atm-tui; until then it shows what it can read."


class HookStatus(StrEnum):
    """STALE: an older or incomplete set is installed. DISABLED: by a setting. UNREADABLE: the client ignores the file."""

    INSTALLED = "installed"
    MISSING = "missing"
    STALE = "stale"
    DISABLED = "disabled"
    UNREADABLE = "unreadable"


class HookReport(msgspec.Struct, frozen=True):
    """The hooks of a config folder. `message`: what is wrong and what to do; empty when installed."""

    status: HookStatus
    message: str = ""


MISSING = HookReport(HookStatus.MISSING, f"The hooks are not installed. {INSTALL}")
"""The report of a config folder without our hooks."""


def report_hooks(config_dir: Path, state_dir: Path) -> HookReport:
    """Returns the same as `read_hooks_status`, without importing it if there are no settings."""
    settings = config_dir / "settings.json"
    if not exists(settings) and not is_link(settings):
        return MISSING
    from atm_tui.settings.status import read_hooks_status  # noqa: PLC0415

    return read_hooks_status(config_dir, state_dir)


def may_answer(config_dir: Path) -> bool:
    """Returns the same as `accepts_answers`, without importing it if no settings mention our hook or plugin."""
    settings = config_dir / "settings.json"
    if not _may_name_us(settings, make_stamp(settings)):
        return False
    from atm_tui.settings.answering import accepts_answers  # noqa: PLC0415

    return accepts_answers(config_dir)


@lru_cache(maxsize=32)
def _may_name_us(path: Path, _stamp: Stamp) -> bool:
    try:
        data = read_bytes(path)
    except OSError:
        return False
    return b"atm" in data or b"\\u" in data  # JSON allows each letter to be escaped


def make_stamp(path: Path) -> Stamp:
    """Returns a value that changes with a file."""
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
