"""Reports the state of the hooks in a config folder. Imports the installer only when a file that decides on it has changed.

A report is kept in the cache folder, with the stamps of all files that it depends on, so that commands can use it, too.
"""

import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from zlib import crc32

import msgspec

import atm_hooks
from atm_tui import paths
from atm_tui.settings.locations import list_managed_files, locate_hooks_dir, locate_managed_dir, locate_plugin_hooks
from atm_tui.sources.exists import exists, is_link
from atm_tui.sources.kept_result import KeptResult, Sources

Stamp = tuple[int, int, int] | None
"""(inode, modification time in ns, size) of a file; None when it does not exist."""
INSTALL = "Press i, or run `atm-tui install`."
RENEW = "press i to renew it, or run `atm-tui install --renew`."
UPDATE = "update atm-tui; until then it shows what it can read."
KEPT = "hooks-"
"""Start of the names of kept reports in the cache folder."""
KEPT_FOR = 86400.0
"""Seconds after which a kept report expires in any case."""
_ANSWERS = "answers"


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


class HookReports:
    """The reports of config folders. Cheap enough for every second: only a few files are looked at while they don't change."""

    def __init__(self, state_dir: Path, cache_dir: Path | None = None, now: Callable[[], float] = time.time) -> None:
        """`state_dir`: the folder that the hooks should write to. `cache_dir`: where reports are kept; None: nowhere."""
        self._state_dir = state_dir
        self._cache_dir = cache_dir
        self._now = now
        self._known: dict[Path, tuple[tuple[Stamp, ...], HookReport]] = {}

    def find(self, config_dir: Path) -> HookReport:
        """Returns the report of a config folder, as of now."""
        settings = config_dir / "settings.json"
        if not exists(settings) and not is_link(settings):
            return MISSING
        stamps = tuple(map(make_stamp, list_deciding_files(config_dir)))
        known = self._known.get(config_dir)
        if known is None or known[0] != stamps:
            known = self._known[config_dir] = (stamps, self._read(config_dir))
        return known[1]

    def _read(self, config_dir: Path) -> HookReport:
        """Returns the kept report if it is still true, else makes it and keeps it."""
        began, kept = self._now(), None
        if self._cache_dir is not None:
            ours = (config_dir, self._state_dir, paths.find_data_dir(), *atm_hooks.__path__)
            name = f"{KEPT}{crc32(str(config_dir).encode(errors='replace')):08x}"
            kept = KeptResult(self._cache_dir, name, list(map(str, ours)), KEPT_FOR)
            if (texts := kept.load(began)) is not None and (found := _unpack(texts)) is not None:
                return found
        from atm_tui.settings.answering import accepts_answers  # noqa: PLC0415  with the installer, as below
        from atm_tui.settings.status import list_read_files, read_hooks_status  # noqa: PLC0415

        report = read_hooks_status(config_dir, self._state_dir)
        report = msgspec.structs.replace(report, answers=accepts_answers(config_dir))
        if kept is not None:
            texts = [report.status.value, report.message, _ANSWERS if report.answers else ""]
            kept.save(texts, Sources(list_read_files(config_dir, self._state_dir), {}, None), began)
        return report


def _unpack(texts: list[str]) -> HookReport | None:
    try:
        status, message, answers = texts
        return HookReport(HookStatus(status), message, answers == _ANSWERS)
    except ValueError:
        return None


def list_deciding_files(config_dir: Path) -> list[Path]:
    """Returns the files that the user, the installer or an administrator changes to change a report."""
    hooks = locate_hooks_dir()
    managed = list_managed_files(locate_managed_dir())
    return [config_dir / "settings.json", *managed, locate_plugin_hooks(), hooks, hooks / "hook.py"]


def make_stamp(path: Path) -> Stamp:
    """Returns a value that changes with a file."""
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
