"""What stands at a path that came from outside. Nothing is raised: what can't be looked at is not there.

Path's own methods raise for a path that is too long or in a folder that may not be entered, and which errors they hide
differs between versions of Python.
"""

import os
import stat
from fnmatch import fnmatchcase
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether a folder stands there, and can be looked at."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: str | Path) -> bool:
    """Whether a regular file stands there, and can be looked at."""
    return os.path.isfile(path)  # noqa: PTH113


def exists(path: str | Path) -> bool:
    """Whether anything stands there, and can be looked at."""
    return os.path.exists(path)  # noqa: PTH110


def is_link(path: str | Path) -> bool:
    """Whether a link stands there, wherever it leads."""
    return os.path.islink(path)  # noqa: PTH114


def is_socket(path: str | Path) -> bool:
    """Whether a socket stands there, and can be looked at."""
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def list_folder(folder: str | Path, pattern: str = "*") -> list[Path]:
    """What is in a folder and has a name like `pattern` (as in a shell), by name; empty when it can't be listed."""
    try:
        return [Path(folder, name) for name in sorted(os.listdir(folder)) if fnmatchcase(name, pattern)]  # noqa: PTH208
    except (OSError, ValueError):
        return []


def list_tree(folder: str | Path) -> list[Path]:
    """All files and folders below a folder, without those behind links; what can't be listed counts as empty."""
    try:
        return [Path(base, name) for base, folders, files in os.walk(folder) for name in (*folders, *files)]
    except ValueError:
        return []
