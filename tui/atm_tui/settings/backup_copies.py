"""Reads the backups of a settings file, for the list from which one is restored."""

import stat
from dataclasses import dataclass
from pathlib import Path

from atm_tui.settings.backups import list_backups
from atm_tui.settings.files_in_use import file_contains_ours


@dataclass(frozen=True, slots=True)
class BackupCopy:
    """A backup of a settings file."""

    path: Path
    size: int
    """Bytes."""
    has_ours: bool
    """Whether it contains our hooks."""


def read_copies(path: Path) -> list[BackupCopy]:
    """Reads the backups of a settings file, newest first. Blocks while it reads."""
    copies = []
    for each in list_backups(path):
        try:
            found = each.stat()
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode):
            copies.append(BackupCopy(each, found.st_size, file_contains_ours(each)))
    return copies
