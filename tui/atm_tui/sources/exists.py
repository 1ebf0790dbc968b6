"""What stands at a path that came from outside. Nothing is raised: what can't be looked at is not there."""

import os
from pathlib import Path


def is_folder(path: str | Path) -> bool:
    """Whether a folder stands there, and can be looked at."""
    return os.path.isdir(path)  # noqa: PTH112  Path.is_dir raises for a path that is too long or may not be entered


def is_file(path: str | Path) -> bool:
    """Whether a regular file stands there, and can be looked at."""
    return os.path.isfile(path)  # noqa: PTH113


def exists(path: str | Path) -> bool:
    """Whether anything stands there, and can be looked at."""
    return os.path.exists(path)  # noqa: PTH110
