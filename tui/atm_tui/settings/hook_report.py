"""What is known of the hooks in one config folder. Loads the rest of the installer only where there are settings to read."""

from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from atm_tui.settings.read import read_bytes
from atm_tui.sources.exists import exists, is_link

Stamp = tuple[int, int, int] | None
"""(inode, modification time in ns, size) of a file; None when it is not there."""
INSTALL = "Press i, or run `atm-tui install`."


class HookStatus(StrEnum):
    """STALE: they run, but an older or incomplete set. DISABLED: by a setting. UNREADABLE: the client drops the file."""

    INSTALLED = "installed"
    MISSING = "missing"
    STALE = "stale"
    DISABLED = "disabled"
    UNREADABLE = "unreadable"


class HookReport(NamedTuple):
    """The hooks of one config folder; message says what is wrong and what to do, and is empty when installed."""

    status: HookStatus
    message: str = ""


MISSING = HookReport(HookStatus.MISSING, f"The hooks are not installed. {INSTALL}")
"""The report of a config folder without our hooks."""


def report_hooks(config_dir: Path, state_dir: Path) -> HookReport:
    """Returns what `read_hooks_status` returns, without loading it where there are no settings."""
    settings = config_dir / "settings.json"
    if not exists(settings) and not is_link(settings):
        return MISSING
    from atm_tui.settings.status import read_hooks_status  # noqa: PLC0415

    return read_hooks_status(config_dir, state_dir)


def may_answer(config_dir: Path) -> bool:
    """Returns what `accepts_answers` returns, without loading it where no settings name a hook or plugin of ours."""
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
    return b"atm" in data or b"\\u" in data  # in JSON, each letter may be written as an escape


def make_stamp(path: Path) -> Stamp:
    """Returns a value that changes with a file."""
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
