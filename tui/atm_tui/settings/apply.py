"""The only writer of settings files: backup, temporary file, fsync, rename, read back; never leaves half a file."""

import errno
import glob
import os
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from atm_hooks.regular_file import NotRegularError, TooLargeError
from atm_tui.settings.attributes import has_access_list, keep_attributes, keep_ownership
from atm_tui.settings.backups import make_backup, prune
from atm_tui.settings.errors import SettingsError
from atm_tui.settings.plan import Plan
from atm_tui.settings.read import MAX_SIZE, read_bytes
from atm_tui.settings.receipt import Receipt, Receipts
from atm_tui.settings.swap import put_in_place, remove_file
from atm_tui.sources.exists import exists, is_folder, is_link, list_folder

SETTLE = 0.15
"""Seconds between two reads of a file that does not parse: another program may be writing it."""

ATTEMPTS = 5
"""How often a change is planned again because the file changed between plan and write."""

REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file may not grow so large here",
    errno.EROFS: "that file system is read-only",
    errno.EPERM: "the system does not permit it",
    errno.ELOOP: "the links form a loop",
}
MISSING_PERMISSIONS = {
    "read": "no permission to read it (of the file, or to search a folder above it)",
    "write": "no permission to write in that folder",
}
TEMPORARY_SUFFIX = ".atm.tmp"


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done. `backup`: None if there was no file, or nothing changed. `notes`: shown to the user.

    `earlier`: the receipt of the file before.
    """

    plan: Plan
    backup: Path | None = None
    notes: tuple[str, ...] = ()
    earlier: Receipt | None = None


def read_settings(path: Path) -> bytes | None:
    """Returns the bytes of a settings file, following links; None when there is none. Raises SettingsError."""
    try:
        return read_bytes(path)
    except (NotRegularError, IsADirectoryError):
        raise SettingsError(
            f"{path}: this is not a regular file.\n  Next: move it away, then run the command again."
        ) from None
    except TooLargeError:
        raise SettingsError(
            f"{path}: more than {MAX_SIZE} bytes are more than settings can be.\n  Next: look what it is."
        ) from None
    except FileNotFoundError:
        if link := _find_dangling_link(path):
            raise SettingsError(
                f"{link}: a link to {link.readlink()}, which does not exist. Nothing was changed.\n"
                "  Next: make that file or folder, or remove the link."
            ) from None
        return None
    except OSError as error:
        raise describe_failure(path, error, "read") from None


def plan_when_stable(path: Path, plan: Callable[[bytes | None], Plan]) -> Plan:
    """Plans for a file that nobody is writing: a refusal counts only if the bytes are the same a moment later.

    Raises SettingsError.
    """
    before = read_settings(path)
    for _ in range(20):
        try:
            return plan(before)
        except SettingsError:
            time.sleep(SETTLE)
            again = read_settings(path)
            if again == before:
                raise
            before = again
    raise SettingsError(f"{path}: another program keeps writing it. Nothing was changed.\n  Next: try again.")


def _find_dangling_link(path: Path) -> Path | None:
    """Returns the first broken link in a path; None when there is none."""
    return next((each for each in (*reversed(path.parents), path) if is_link(each) and not exists(each)), None)


def apply(
    plan: Plan, replan: Callable[[bytes | None], Plan], receipts: Receipts, now: Callable[[], datetime]
) -> Applied:
    """Writes a plan. If the file changed since it was planned, `replan` gets its bytes.

    The caller holds the lock of our processes (`installer.hold_lock`).
    Raises SettingsError; the file is then as it was or, if only reading it back failed, as planned.
    """
    notes: list[str] = []
    for _ in range(ATTEMPTS):
        current = read_settings(plan.path)
        if current != plan.before:
            notes = ["the file had changed in the meantime; the change was planned again"]
            plan = replan(current)
        if not plan.is_needed:
            return Applied(plan, None, tuple(notes))
        applied = _write_plan(plan, receipts, now())
        if applied is not None:
            return replace(applied, notes=(*notes, *applied.notes))
    raise SettingsError(
        f"{plan.path}: another program keeps writing this file. Nothing was changed.\n  Next: try again."
    )


def _write_plan(plan: Plan, receipts: Receipts, now: datetime) -> Applied | None:
    """Returns None, without writing, if the file changed before the rename."""
    path, real = plan.path, Path(os.path.realpath(plan.path))
    info = _read_target_stat(path, real)
    backup, temporary = None, None
    try:
        if info is None:
            _make_folder(real)
        remove_temporary_files(real)
        if plan.before is not None:
            backup = make_backup(path, plan.before, _choose_backup_mode(real, info), now)
        if plan.after is not None:
            temporary = write_temporary(real, plan.after, info)
        earlier = receipts.load(path)
        receipts.save(path, plan.receipt)
        is_written = read_settings(path) == plan.before and (
            put_in_place(temporary, real, plan.before) if temporary else remove_file(real, plan.before or b"")
        )
        if not is_written:
            receipts.save(path, earlier)
            _discard(temporary, backup)
            return None
    except OSError as error:
        _discard(temporary, backup)
        raise describe_failure(real, error, "write") from None
    except SettingsError:
        _discard(temporary, backup)
        raise
    _sync_folder(real.parent)
    prune(path)
    _read_back(path, plan.after, backup)
    notes = []
    if info is not None and info.st_nlink > 1:
        notes.append(f"{real} had another hard link; that one keeps the old text")
    return Applied(plan, backup, tuple(notes), earlier)


def _read_target_stat(path: Path, real: Path) -> os.stat_result | None:
    try:
        info = real.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise describe_failure(path, error, "read") from None
    if not info.st_mode & 0o222:
        raise SettingsError(
            f"{real}: the file is write-protected (mode {stat.S_IMODE(info.st_mode):04o}). Nothing was changed.\n"
            f"  Next: chmod u+w it; or, where another tool makes this file, add there what --dry-run shows; "
            "or use --scope local."
        )
    return info


def _make_folder(real: Path) -> None:
    """Creates the config folder if it is missing."""
    if is_folder(real.parent):
        return
    real.parent.mkdir(mode=0o700, parents=True)


def remove_temporary_files(real: Path) -> None:
    """Removes the temporary files that a killed install left beside a settings file.

    The caller holds the lock of our processes, so none of them is in use. One that can't be removed stays.
    """
    _discard(*list_folder(real.parent, f".{glob.escape(real.name)}.*{TEMPORARY_SUFFIX}"))


def _choose_backup_mode(real: Path, info: os.stat_result | None) -> int:
    """Returns the mode of the backup: that of the file, or only the owner's part if the file has an access control list.

    With such a list, the group bits of the mode are a mask, not the group's permissions.
    """
    mode = stat.S_IMODE(info.st_mode) if info else 0o600
    return mode & 0o700 if has_access_list(real) else mode


def write_temporary(real: Path, data: bytes, info: os.stat_result | None) -> Path:
    """Writes `data` to a file beside `real`, with the owner, group, mode and attributes of `real` if it exists (`info`).

    Raises OSError, and SettingsError if one of these can't be kept; leaves no file behind then.
    """
    handle, name = tempfile.mkstemp(prefix=f".{real.name}.", suffix=TEMPORARY_SUFFIX, dir=real.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if info is None:
                os.fchmod(file.fileno(), 0o600)
            else:
                keep_ownership(real, info, file.fileno())
                os.fchmod(file.fileno(), stat.S_IMODE(info.st_mode))
                keep_attributes(real, temporary)
            os.fsync(file.fileno())
    except (OSError, SettingsError):
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _sync_folder(folder: Path) -> None:
    """Flushes the rename to disk; ignores file systems that can't."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _read_back(path: Path, wanted: bytes | None, backup: Path | None) -> None:
    """Checks that the file has the planned bytes after the rename. Raises SettingsError."""
    kept = f"the text from before is in {backup}" if backup else "there was no file before"
    try:
        written = read_bytes(path)
    except FileNotFoundError:
        written = None
    except OSError as error:
        raise SettingsError(
            f"{path}: written, but it can't be read back: {error.strerror}.\n  Next: look at it; {kept}."
        ) from None
    if written != wanted:
        raise SettingsError(
            f"{path}: written, but another program wrote it at the same moment.\n  Next: run the command again; {kept}."
        )


def _discard(*paths: Path | None) -> None:
    for path in paths:
        if path is not None:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def explain_failure(error: OSError, what: str) -> str:
    """Returns why the system refused to read or write (`what`) a file."""
    if error.errno == errno.EACCES:
        return MISSING_PERMISSIONS[what]
    return REASONS.get(error.errno or 0, error.strerror or str(error))


def describe_failure(path: Path, error: OSError, what: str) -> SettingsError:
    """Returns the error for a read or write (`what`) that the system refused."""
    return SettingsError(
        f"{path}: can't {what} it: {explain_failure(error, what)}. Nothing was changed.\n"
        "  Next: fix that, or add by hand what --dry-run shows to a settings file that Claude Code reads."
    )
