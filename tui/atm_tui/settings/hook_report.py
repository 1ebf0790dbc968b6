"""A report on the hooks in a config folder: whether they are installed, and what to do if not."""

from enum import StrEnum
from pathlib import Path

import msgspec

from atm_tui.settings.locations import list_managed_files, locate_hooks_dir, locate_managed_dir, locate_plugin_hooks

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
    """The hooks of a config folder. `message`: what is wrong and what to do; empty when installed.

    `answers`: whether one of them waits for answers.
    """

    status: HookStatus
    message: str = ""
    answers: bool = False


MISSING = HookReport(HookStatus.MISSING, f"The hooks are not installed. {INSTALL}")
"""The report of a config folder without our hooks."""


def list_deciding_files(config_dir: Path) -> list[Path]:
    """Returns the files that the user, the installer or an administrator changes to change a report."""
    hooks = locate_hooks_dir()
    managed = list_managed_files(locate_managed_dir())
    return [config_dir / "settings.json", *managed, locate_plugin_hooks(), hooks, hooks / "hook.py"]
