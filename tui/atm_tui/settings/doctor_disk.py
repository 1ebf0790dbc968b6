"""Checks the disk of the state folder: a folder can be writable although its disk is full."""

import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from atm_hooks.private import write_new_in
from atm_tui.settings.check import Check, Level
from atm_tui.sources.exists import is_folder

SIZE = 256 * 1024
"""Bytes of the trial file: more than the state and journal of most sessions grow in an hour."""
LOW = 16 * 1024 * 1024
"""Free bytes below which there is a warning."""
FULL = {
    errno.ENOSPC: "the disk is full: events are lost",
    errno.EDQUOT: "your share of the disk is used up: events are lost",
    errno.EROFS: "the disk is read-only: events are lost",
}


def check_disk(state_dir: Path) -> Iterator[Check]:
    """Writes a file into the state folder and removes it again; yields nothing if that works and there is space."""
    where, advice = str(state_dir), f"Make room there: `df -h {state_dir}` and `df -i {state_dir}` show what is left."
    problem = _try_to_write(state_dir / "tmp" if is_folder(state_dir / "tmp") else state_dir)
    if problem is not None:
        text = FULL.get(problem.errno or 0, f"a file can't be written: {problem.strerror}; events are lost")
        yield Check("state", Level.BROKEN, where, text, advice)
        return
    free = measure_free_room(state_dir)
    if free is not None and free < LOW:
        text = f"the disk is almost full ({free // 1024:,} kB left): events will be lost"
        yield Check("state", Level.WARNING, where, text, advice)


def measure_free_room(folder: Path) -> int | None:
    """Returns the bytes that this user may still write to the disk of a folder; None when unknown."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    return disk.f_frsize * (disk.f_bavail if os.geteuid() else disk.f_bfree)


def _try_to_write(folder: Path) -> OSError | None:
    name = f"atm-tui-doctor-{secrets.token_hex(4)}"
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            write_new_in(opened, name, bytes(SIZE))
            os.unlink(name, dir_fd=opened)
        finally:
            os.close(opened)
    except OSError as error:
        return error
    return None
