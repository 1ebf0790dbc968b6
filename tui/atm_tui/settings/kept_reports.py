"""Keeps the reports on the hooks of config folders. Imports the installer only when a file that decides on one has changed.

A report is also kept in the cache folder, with the stamps of all files that it depends on, so that commands can use it, too.
"""

import time
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import msgspec

import atm_hooks
from atm_tui import paths
from atm_tui.settings.hook_report import MISSING, HookReport, HookStatus, list_deciding_files
from atm_tui.sources.exists import exists, is_link
from atm_tui.sources.kept_result import KeptResult, Sources
from atm_tui.sources.new_file import remove_old_files

Stamp = tuple[int, int, int] | None
"""(inode, modification time in ns, size) of a file; None when it does not exist."""
KEPT = "hooks-"
"""Start of the names of kept reports in the cache folder."""
KEPT_FOR = 86400.0
"""Seconds after which a kept report expires in any case."""
MOST_KEPT = 100
"""Number of kept reports, which is that of config folders; the oldest are removed first."""
_ANSWERS = "answers"


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
            remove_old_files(str(self._cache_dir), KEPT, MOST_KEPT, began - KEPT_FOR)
        return report


def _unpack(texts: list[str]) -> HookReport | None:
    try:
        status, message, answers = texts
        return HookReport(HookStatus(status), message, answers == _ANSWERS)
    except ValueError:
        return None


def make_stamp(path: Path) -> Stamp:
    """Returns a value that changes with a file."""
    try:
        info = path.stat()
    except (OSError, ValueError):
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
