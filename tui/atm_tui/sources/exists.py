"""Checks what exists at a path from outside. Raises nothing: what can't be accessed counts as missing.

The methods of Path raise for a path that is too long or in a folder without access, and versions of Python differ in which
errors they hide.
"""

import os
import stat
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether the path is a folder that can be accessed."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: str | Path) -> bool:
    """Whether the path is a regular file that can be accessed."""
    return os.path.isfile(path)  # noqa: PTH113


def exists(path: str | Path) -> bool:
    """Whether anything exists at the path and can be accessed."""
    return os.path.exists(path)  # noqa: PTH110


def is_missing(path: str | Path) -> bool:
    """Whether nothing is at the path; False also if that can't be found out, so that its reader reports the reason."""
    try:
        os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return False


def is_link(path: str | Path) -> bool:
    """Whether the path is a link, valid or not."""
    return os.path.islink(path)  # noqa: PTH114


def is_socket(path: str | Path) -> bool:
    """Whether the path is a socket that can be accessed."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def is_executable(path: str | Path) -> bool:
    """Whether it is a file that this user may run."""
    try:
        return os.path.isfile(path) and os.access(path, os.X_OK)  # noqa: PTH113
    except ValueError:
        return False


def is_readable(path: str | Path) -> bool:
    """Whether it is a file, or a pipe, that this user may read."""
    try:
        return os.access(path, os.R_OK) and not os.path.isdir(path)  # noqa: PTH112
    except ValueError:
        return False


def list_folder(folder: str | Path, pattern: str = "*") -> list[Path]:
    """Returns the paths in a folder that match `pattern` (as in a shell), sorted by name; empty when it can't be listed."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except (OSError, ValueError):
        return []
    if pattern != "*":
        from fnmatch import fnmatchcase  # noqa: PLC0415  few commands need it

        names = [name for name in names if fnmatchcase(name, pattern)]
    return [Path(folder, name) for name in names]


def has_entries(folder: str | Path) -> bool:
    """Whether a folder has any content; also True if it can't be listed, so that its reader reports the reason."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True


def list_tree(folder: str | Path) -> list[Path]:
    """Returns all files and folders below a folder, without following links; what can't be listed counts as empty."""
    try:
        return [Path(base, name) for base, folders, files in os.walk(folder) for name in (*folders, *files)]
    except ValueError:
        return []
