"""Dated backups beside a settings file: made before each write; ten are kept."""

import os
import re
from datetime import datetime
from pathlib import Path

KEEP = 10
"""Number of backups that are kept of each file."""
SUFFIX = re.compile(r"\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.(\d+))?\.atm\.bak")


def list_backups(path: Path) -> list[Path]:
    """Returns the backups beside a settings file or beside the file it links to, newest first."""
    found: dict[Path, None] = {}
    for place in dict.fromkeys((path, Path(os.path.realpath(path)))):
        try:
            names = [each.name for each in os.scandir(place.parent)]
        except OSError:
            continue
        for name in names:
            if name.startswith(place.name) and SUFFIX.fullmatch(name[len(place.name) :]):
                found[place.parent / name] = None
    return sorted(found, key=_sort_key, reverse=True)


def make_backup(path: Path, data: bytes, mode: int, now: datetime) -> Path:
    """Writes a copy beside the file, or beside the real file if that folder is not writable. Raises OSError."""
    try:
        return _write_copy(path, data, mode, now)
    except OSError:
        real = Path(os.path.realpath(path))
        if real.parent == path.parent:
            raise
        return _write_copy(real, data, mode, now)


def prune(path: Path) -> None:
    """Removes all but the ten newest; one that can't be removed stays."""
    for old in list_backups(path)[KEEP:]:
        try:
            old.unlink()
        except OSError:
            continue


def _write_copy(path: Path, data: bytes, mode: int, now: datetime) -> Path:
    stamp = now.strftime("%Y-%m-%dT%H-%M-%S")
    for number in range(1000):
        copy = path.with_name(f"{path.name}.{stamp}{f'.{number}' if number else ''}.atm.bak")
        try:
            handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                os.fchmod(file.fileno(), mode)
        except OSError:
            copy.unlink(missing_ok=True)
            raise
        return copy
    raise FileExistsError(17, "a thousand backups of one second", str(path))


def _sort_key(path: Path) -> tuple[str, int]:
    match = SUFFIX.search(path.name)
    number = int(match[1] or 0) if match else 0
    stamp = re.search(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d", path.name[match.start() :]) if match else None
    return stamp[0] if stamp else "", number
