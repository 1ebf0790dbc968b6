"""Copies owner, group, access control list and extended attributes to the file that replaces another one."""

import errno
import os
import subprocess
import sys
from pathlib import Path

from atm_tui.settings.errors import SettingsError
from atm_tui.settings.read import read_bytes

ACCESS_LIST = "system.posix_acl_access"
"""The extended attribute of Linux with the access control list of a file."""

UNSUPPORTED = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
"""Error codes of file systems without extended attributes."""


def keep_ownership(real: Path, info: os.stat_result, handle: int) -> None:
    """Gives the open file the owner and group of `real` (`info`). Raises SettingsError if that is not permitted."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) == (info.st_uid, info.st_gid):
        return
    try:
        os.fchown(handle, info.st_uid, info.st_gid)
    except OSError as error:
        raise _is_left_alone(
            real, f"it belongs to user {info.st_uid} and group {info.st_gid}, which a new file can't be given", error
        ) from None


def keep_attributes(real: Path, other: Path) -> None:
    """Gives `other` the access control list and the extended attributes of `real`.

    Raises SettingsError if one can't be kept, so that no file loses its protection.
    """
    if sys.platform == "darwin":
        _keep_attributes_on_macos(real, other)
        return
    wanted, present = _read_attributes(real), _read_attributes(other)
    for name in present.keys() - wanted.keys():
        # The folder's default access control list was applied to the new file.
        try:
            os.removexattr(other, name)
        except OSError as error:
            raise _is_left_alone(real, f"the new file can't lose the attribute {name} of its folder", error) from None
    for name, value in wanted.items():
        if present.get(name) == value:
            continue
        try:
            os.setxattr(other, name, value)
        except OSError as error:
            what = "access control list" if name == ACCESS_LIST else f"extended attribute {name}"
            raise _is_left_alone(real, f"its {what} can't be kept", error) from None


def has_access_list(path: Path) -> bool:
    """Returns whether the file has an access control list (Linux)."""
    return ACCESS_LIST in _read_attributes(path)


def _read_attributes(path: Path) -> dict[str, bytes]:
    """Returns all extended attributes that this user can see, by name; empty on systems without them."""
    if not hasattr(os, "listxattr"):
        return {}
    try:
        return {name: os.getxattr(path, name) for name in os.listxattr(path)}
    except FileNotFoundError:
        return {}
    except OSError as error:
        if error.errno in UNSUPPORTED:
            return {}
        raise _is_left_alone(path, "its extended attributes can't be read", error) from None


def _keep_attributes_on_macos(real: Path, other: Path) -> None:
    """Copies them by `cp -p`, the only way on macOS; then writes the content of `other` again."""
    text = read_bytes(other)
    copied = subprocess.run(["/bin/cp", "-p", str(real), str(other)], capture_output=True, check=False)
    if copied.returncode:
        reason = copied.stderr.decode(errors="replace").strip()
        raise _is_left_alone(real, f"its attributes can't be kept: {reason}", None)
    other.write_bytes(text)


def _is_left_alone(path: Path, reason: str, error: OSError | None) -> SettingsError:
    because = f" ({error.strerror})" if error and error.strerror else ""
    return SettingsError(
        f"{path}: {reason}{because}. Nothing was changed.\n"
        "  Next: run the command as the file's owner, or add by hand what --dry-run shows."
    )
